import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleNetwork

@Suite("This server's URLs in requests to origins, and the origins' in responses")
struct ProvenanceTests {
    private struct Fixture {
        let network = ScriptedTransport()
        let clock = TestClock()
        let responder: LayeredResponder

        init(in directory: TemporaryDirectory) throws {
            let store = try BundleStore(at: directory.path, creating: true, now: clock.read)
            let rules =
                #"[{"match": {"path": "/old/**"}, "rewrite": {"from": "/old/**", "to": "https://cdn.example/**"}}]"#
            try store.install(
                .sample(
                    "shop",
                    "1",
                    #""origins": [{"url": "https://m.example.com/shop/", "path": "/"}, "#
                        + #"{"url": "https://cdn.example/", "path": "/cdn/"}], "network": {"rules": \#(rules)}"#
                ),
                files: ["index.html": "entry", "a/page.html": "page"]
            )
            try store.install(.sample("news", "1", origins: ["https://news.example/"]), files: ["index.html": "news"])
            let addresses = BundleAddresses(mounts: [Mount("shop=/m")].compactMap { $0 })
            responder = LayeredResponder(
                LiveResolver(store, addresses: addresses),
                store: store,
                transport: network,
                policy: CachePolicy(isShared: false),
                now: clock.read
            )
        }

        func send(
            _ path: String,
            host: String = "shop.localhost:8080",
            _ fields: HTTPFields = [:],
            method: HTTPRequest.Method = .get
        ) async throws -> Received {
            let request = HTTPRequest(method: method, scheme: nil, authority: host, path: path, headerFields: fields)
            return try await Received(responder.respond(to: request))
        }
    }

    private static let own = "http://shop.localhost:8080"

    @Test(
        "Origin and Referer name the origins' pages, and never this server",
        arguments: [
            ("/x", own, "\(own)/a/page.html?q", "https://m.example.com", "https://m.example.com/shop/a/page.html?q"),
            ("/x", own, nil, "https://m.example.com", nil),
            ("/x", "https://shop.localhost:8080", "\(own)/", "https://m.example.com", "https://m.example.com/shop/"),
            // A page of another origin of the same bundle: the origin decides whether it may.
            ("/cdn/x", own, "\(own)/a/page.html", "https://m.example.com", "https://m.example.com/shop/a/page.html"),
            ("/x", own, "\(own)/cdn/page", "https://cdn.example", "https://cdn.example/page"),
            ("/cdn/x", own, nil, "https://cdn.example", nil),
            // A rule asks another origin; the page stays the same.
            ("/old/x", own, "\(own)/", "https://m.example.com", "https://m.example.com/shop/"),
            (
                "/x", "http://news.localhost:8080", "http://news.localhost:8080/y", "https://news.example",
                "https://news.example/y"
            ),
            ("/x", "http://localhost:8080", "http://localhost:8080/", "null", nil),
            ("/x", "http://gone.localhost:8080", "http://gone.localhost:8080/", "null", nil),
            ("/x", "\(own)", "\(own)/..;/x", "https://m.example.com", nil),
            // Other servers, also on this machine.
            (
                "/x", "http://localhost:3000", "http://localhost:3000/shop/a", "http://localhost:3000",
                "http://localhost:3000/shop/a"
            ),
            ("/x", "https://evil.example", "https://evil.example/a", "https://evil.example", "https://evil.example/a"),
            ("/x", "null", "about:blank", "null", "about:blank"),
        ] as [(String, String, String?, String, String?)]
    )
    func pages(_ path: String, _ origin: String, _ referer: String?, _ sentOrigin: String, _ sentReferer: String?)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            var fields: HTTPFields = [.origin: origin]
            fields[.referer] = referer
            for method in [HTTPRequest.Method.get, .post] {
                _ = try await fixture.send(path, fields, method: method)
                let sent = try #require(fixture.network.requests.last?.headerFields)
                #expect(sent[.origin] == sentOrigin, "\(method)")
                #expect(sent[.referer] == sentReferer, "\(method)")
            }
        }
    }

    @Test(
        "the page is recognised at each place of the bundle",
        arguments: [
            (
                "/shop/x", "localhost:8080", "http://localhost:8080/shop/a/page.html",
                "https://m.example.com/shop/a/page.html"
            ),
            ("/m/x", "kiosk.example", "https://kiosk.example/m/a/page.html", "https://m.example.com/shop/a/page.html"),
            ("/shop/x", "m.example.com", "http://m.example.com/shop/a", "https://m.example.com/shop/a"),
            ("/shop/x", "m.example.com", "https://m.example.com/news", "https://m.example.com/news"),
        ]
    )
    func places(_ path: String, _ host: String, _ referer: String, _ sent: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            _ = try await fixture.send(path, host: host, [.referer: referer])
            #expect(fixture.network.requests.last?.headerFields[.referer] == sent)
        }
    }

    @Test("a WebSocket's Origin is the origin's")
    func webSocket() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            let fields: HTTPFields = [
                .connection: "Upgrade", .upgrade: "websocket", .secWebSocketKey: "dGhlIHNhbXBsZSBub25jZQ==",
                .origin: Self.own,
            ]
            _ = try? await fixture.send("/ws", fields)
            #expect(fixture.network.requests.last?.headerFields[.origin] == "https://m.example.com")
        }
    }

    @Test("more than one Origin or Referer isn't passed on")
    func repeated() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            var fields: HTTPFields = [:]
            for name in [HTTPField.Name.origin, .referer] {
                for value in [Self.own, "https://evil.example"] { fields.append(HTTPField(name: name, value: value)) }
            }
            _ = try await fixture.send("/x", fields)
            let sent = try #require(fixture.network.requests.last?.headerFields)
            #expect(!sent.contains(.origin) && !sent.contains(.referer))
        }
    }

    @Test("a redirect into a mapped origin leads to this server, also from the cache, at each place")
    func redirects() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            let fields: HTTPFields = [
                .cacheControl: "max-age=60", .location: "https://m.example.com/shop/b?c#d",
                .contentLocation: "/shop/e", .refresh: "5; URL=https://cdn.example/f",
            ]
            fixture.network.response("https://m.example.com/shop/x", .movedPermanently, fields, "")
            for detail in ["network", "cache", "cache"] {
                let response = try await fixture.send("/x")
                #expect(response.cacheStatus?.contains(detail) == true)
                #expect(response[.location] == "b?c#d")
                #expect(response[.contentLocation] == "e")
                #expect(response[.refresh] == "5; URL=cdn/f")
            }
            #expect(fixture.network.requests.count == 1)
            #expect(try await fixture.send("/shop/x", host: "localhost:8080")[.location] == "b?c#d")
            #expect(try await fixture.send("/m/x", host: "kiosk.example")[.location] == "b?c#d")
            let same = try await fixture.send("/shop/x", host: "m.example.com")
            #expect(same[.location] == "https://m.example.com/shop/b?c#d")
        }
    }

    @Test(
        "a reference that a rewritten request's origin sends is resolved there",
        arguments: [
            ("b", "../cdn/b"), ("/c", "../cdn/c"), ("https://m.example.com/shop/d", "../d"),
            ("https://e.example/", "https://e.example/"),
        ]
    )
    func rewritten(_ location: String, _ expected: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            fixture.network.response("https://cdn.example/x", .seeOther, [.location: location], "")
            #expect(try await fixture.send("/old/x", method: .post)[.location] == expected)
        }
    }
}
