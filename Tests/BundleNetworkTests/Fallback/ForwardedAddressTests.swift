import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("The address that origins are told")
struct ForwardedAddressTests {
    private static let url = "https://m.example.com/"
    private static let names = ForwardedAddress.names

    /// An endpoint and an app in front of an origin that writes the address that it is told into its pages.
    private struct Fixture {
        let network = ScriptedTransport()
        let clock = TestClock()
        let store: BundleStore
        let responder: LayeredResponder
        let offline: LayeredResponder
        let app: LayeredResponder

        init(in directory: TemporaryDirectory, keys: String = #""forwardedAddress": true"#) throws {
            let (clock, network) = (clock, network)
            let store = try BundleStore(at: directory.path, creating: true, now: clock.read)
            self.store = store
            let origins = #"[{"url": "\#(url)", "path": "/"}, {"url": "https://api.example/v1/", "path": "/v1/"}]"#
            let manifest = try BundleManifest.sample("shop", "1", #""origins": \#(origins), \#(keys)"#)
            try store.install(manifest, files: ["index.html": "entry"])
            let resolver = LiveResolver(
                store,
                addresses: BundleAddresses(mounts: ["shop=/m", "shop=/a/v1"].compactMap(Mount.init))
            )
            func responder(_ transport: ScriptedTransport?, scheme: String?) -> LayeredResponder {
                LayeredResponder(
                    resolver,
                    store: store,
                    transport: transport,
                    policy: CachePolicy(isShared: false),
                    clock: clock,
                    scheme: scheme,
                    now: clock.read
                )
            }
            self.responder = responder(network, scheme: "http")
            offline = responder(nil, scheme: "http")
            app = responder(network, scheme: nil)
        }

        /// Pages that name the address, with the validator of their source.
        func publish(_ path: String, _ fields: HTTPFields = [.cacheControl: "max-age=60"], confirms: Bool = true) {
            network.response(url + path) { request in
                var fields = fields
                fields[.eTag] = "\"source\""
                if confirms, request.headerFields[.ifNoneMatch]?.contains("\"source\"") == true {
                    return OriginResponse(.notModified, fields)
                }
                let host = request.headerFields[names[0]] ?? "origin"
                return OriginResponse(.ok, fields, "\(host) \(request.headerFields[names[2]] ?? "")")
            }
        }

        func send(
            _ path: String,
            host: String? = "shop.localhost:8080",
            _ fields: HTTPFields = [:],
            method: HTTPRequest.Method = .get,
            by responder: LayeredResponder? = nil
        ) async throws -> Received {
            let request = HTTPRequest(method: method, scheme: nil, authority: host, path: path, headerFields: fields)
            return try await Received((responder ?? self.responder).respond(to: request))
        }

        var sent: [String?] { names.map { network.requests.last?.headerFields[$0] } }
    }

    @Test(
        "are host, scheme and what precedes the origin's path, whatever the client has sent",
        arguments: [
            ("/x", "shop.localhost:8080", ["shop.localhost:8080", "http", nil]),
            ("/x", "SHOP.localhost", ["shop.localhost", "http", nil]),
            ("/x", "shop.localhost:80", ["shop.localhost", "http", nil]),
            ("/m/x", "kiosk.example", ["kiosk.example", "http", "/m"]),
            ("/%6D/x?q=/m/x", "kiosk.example", ["kiosk.example", "http", "/m"]),
            ("/shop/x", "127.0.0.1:8080", ["127.0.0.1:8080", "http", "/shop"]),
            ("/x", "m.example.com", ["m.example.com", "http", nil]),
            // Another origin, at another depth.
            ("/m/v1/x", "kiosk.example", ["kiosk.example", "http", "/m"]),
            ("/a/v1/v1/x", "kiosk.example", ["kiosk.example", "http", "/a/v1"]),
            ("/m/x", nil, [nil, nil, nil]),
        ] as [(String, String?, [String?])]
    )
    func told(_ path: String, _ host: String?, _ expected: [String?]) async throws {
        try await withTemporaryDirectory { directory in
            let keys = #""forwardedAddress": true, "forwardedFields": ["X-Forwarded-Prefix"]"#
            let fixture = try Fixture(in: directory, keys: keys)
            for url in [Self.url + "x", Self.url + "x?q=/m/x", "https://api.example/v1/x"] {
                fixture.network.response(url, .ok, [.cacheControl: "no-store"], "")
            }
            var fields: HTTPFields = [:]
            if host != nil { for name in Self.names { fields[name] = "evil.example" } }
            for method in [HTTPRequest.Method.get, .head, .post] {
                _ = try await fixture.send(path, host: host, fields, method: method)
                #expect(fixture.sent == expected, "\(method)")
            }
        }
    }

    @Test("are told to none without the key, and to none by an app")
    func untold() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory, keys: #""entry": "index.html""#)
            fixture.publish("x")
            _ = try await fixture.send("/m/x", host: "kiosk.example")
            #expect(fixture.sent == [nil, nil, nil])
        }
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            fixture.publish("x")
            _ = try await fixture.send("/m/x", host: "kiosk.example", by: fixture.app)
            #expect(fixture.sent == [nil, nil, nil])
        }
    }

    @Test("leave Origin and Referer those of the page, as the origin compares them with the address")
    func provenance() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            let (page, other) = ("http://shop.localhost:8080", "http://evil.localhost:8080")
            for origin in [page, other] {
                _ = try await fixture.send("/x", [.origin: origin, .referer: "\(origin)/"], method: .post)
                #expect(fixture.network.requests.last?.headerFields[.origin] == origin)
                #expect(fixture.network.requests.last?.headerFields[.referer] == "\(origin)/")
            }
            _ = try await fixture.send("/x", [.origin: page], method: .post, by: fixture.app)
            #expect(fixture.network.requests.last?.headerFields[.origin] == "https://m.example.com")
        }
    }

    @Test("select what is stored: no client gets a page of another client's address", arguments: [true, false])
    func selected(_ confirms: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            fixture.publish("x", [.cacheControl: "max-age=60", .vary: "Accept"], confirms: confirms)
            let evil = "127.0.0.1:6666"
            #expect(try await fixture.send("/shop/x", host: evil).text == "\(evil) /shop")
            for _ in 0..<2 { #expect(try await fixture.send("/x").text == "shop.localhost:8080 ") }
            #expect(try await fixture.send("/m/x", host: "kiosk.example").text == "kiosk.example /m")
            #expect(try await fixture.send("/shop/x", host: evil).cacheStatus?.contains("hit") == true)
            #expect(fixture.network.requests.count == 3)
            #expect(fixture.network.requests.allSatisfy { !$0.headerFields.contains(.ifNoneMatch) })
            // Validated, by GET and HEAD, each keeps its own.
            fixture.clock.advance(by: .seconds(61))
            for method in [HTTPRequest.Method.head, .get] { _ = try await fixture.send("/x", method: method) }
            #expect(fixture.network.requests.last?.headerFields[.ifNoneMatch] == "\"source\"")
            await fixture.responder.fallback.cache.flush()
            fixture.clock.advance(by: .seconds(61))
            #expect(try await fixture.send("/x", by: fixture.offline).text == "shop.localhost:8080 ")
            #expect(try await fixture.send("/shop/x", host: evil, by: fixture.offline).text == "\(evil) /shop")
            #expect(try await fixture.send("/shop/x", host: "127.0.0.1:1", by: fixture.offline).status == 504)
            // An app on the same store has none of them.
            #expect(try await fixture.send("/x", by: fixture.app).text == "origin ")
        }
    }

    @Test("share no fetch: what one client waits for is of no use to another")
    func unshared() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            let latch = Latch()
            fixture.network.response(Self.url + "x") { request in
                try await latch.wait()
                let host = request.headerFields[Self.names[0]] ?? ""
                return OriginResponse(.ok, [.cacheControl: "max-age=60"], host)
            }
            let hosts = (0..<4).map { "127.0.0.1:\($0 % 2 + 1)" }
            try await withThrowingTaskGroup { group in
                for host in hosts {
                    group.addTask { (host, try await fixture.send("/shop/x", host: host).text) }
                }
                try await latch.waitForArrivals(2)
                latch.open()
                for try await (host, text) in group { #expect(text == host) }
            }
            #expect(fixture.network.requests.count == 2)
        }
    }

    @Test("have one URL: a request that isn't safe removes what is stored for all of them")
    func invalidated() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            fixture.publish("x")
            _ = try await fixture.send("/x")
            _ = try await fixture.send("/shop/x", host: "127.0.0.1:1")
            _ = try await fixture.send("/shop/x", host: "127.0.0.1:1", method: .post)
            _ = try await fixture.send("/x")
            #expect(fixture.network.requests.count == 4)
        }
    }

    @Test("have at most 32 responses of one URL")
    func bounded() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            fixture.publish("x")
            for port in 1...50 { _ = try await fixture.send("/shop/x", host: "127.0.0.1:\(port)") }
            await fixture.responder.fallback.cache.flush()
            #expect(try fixture.store.cachedResponses().count == 32)
        }
    }

    @Test(
        "are those of references and cookies that the origin sends for them, beside its own",
        arguments: [
            ("/m/next", "/m/next"), ("/next", "next"), ("next", "next"), ("/mm/next", "mm/next"),
            ("http://kiosk.example/m/next", "http://kiosk.example/m/next"),
            ("https://m.example.com/next", "next"),
        ]
    )
    func references(_ location: String, _ expected: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            fixture.network.response(Self.url + "x", .found, [.location: location], "")
            #expect(try await fixture.send("/m/x", host: "kiosk.example")[.location] == expected)
        }
    }

    @Test("aren't known of what is fetched ahead, which no client of an endpoint gets")
    func precached() async throws {
        try await withTemporaryDirectory { directory in
            let keys = #""forwardedAddress": true, "network": {"precache": ["\#(Self.url)x"]}"#
            let fixture = try Fixture(in: directory, keys: keys)
            fixture.publish("x")
            _ = await fixture.responder.precache()
            #expect(fixture.sent == [nil, nil, nil])
            #expect(try await fixture.send("/x").text == "shop.localhost:8080 ")
            #expect(try await fixture.send("/x", by: fixture.app).text == "origin ")
        }
    }
}
