import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleNetwork

@Suite("The layers of a response")
struct LayeredResponderTests {
    @Test("the bundle is served without the network")
    func bundled() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let response = try await fixture.get("")
            #expect(response.status == 200)
            #expect(response.text == "entry")
            #expect(response.layer == .active)
            #expect(response.cacheStatus == #"offline-bundles; hit; detail="active 1.0.0""#)
            let folder = try await fixture.get("docs?a=b")
            #expect(folder.status == 301)
            #expect(folder[.location] == "docs/?a=b")
            #expect(folder[.cacheControl] == "no-store")
            #expect(fixture.network.requests.isEmpty)
        }
    }

    @Test("what the bundle lacks comes from the network, and from the cache after that")
    func networkThenCache() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x.js?v=%2F1", "x", [.cacheControl: "max-age=60", .contentType: "text/javascript"])
            let first = try await fixture.get("x.js?v=%2F1")
            #expect(first.text == "x")
            #expect(first.layer == .network)
            #expect(first.cacheStatus == #"offline-bundles; fwd=uri-miss; fwd-status=200; stored; detail="network""#)
            fixture.clock.advance(by: .seconds(20))
            fixture.network.isDown = true
            for isOffline in [false, true] {
                let next = try await fixture.get("x.js?v=%2F1", offline: isOffline)
                #expect(next.text == "x")
                #expect(next.layer == .cache)
                #expect(next.cacheStatus == #"offline-bundles; hit; ttl=40; detail="cache""#)
                #expect(next[.age] == "20")
                #expect(next[.contentType] == "text/javascript")
                #expect(next[.xContentTypeOptions] == "nosniff")
            }
            #expect(try await fixture.get("x.js?v=2").status == 504)
            #expect(fixture.network.requests.count == 1)
        }
    }

    @Test("range, preconditions and HEAD work on a fetched response, whether or not the origin supports them")
    func semantics() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x.bin", "0123456789", [.cacheControl: "max-age=60", .eTag: #""a""#])
            let part = try await fixture.get("x.bin", [.range: "bytes=2-4"])
            #expect(part.status == 206)
            #expect(part.text == "234")
            #expect(part[.contentRange] == "bytes 2-4/10")
            #expect(try await fixture.get("x.bin", [.range: "bytes=20-"]).status == 416)
            #expect(try await fixture.get("x.bin", [.ifNoneMatch: #""a""#]).status == 304)
            #expect(try await fixture.get("x.bin", [.ifMatch: #""b""#]).status == 412)
            let head = try await fixture.get("x.bin", method: .head)
            #expect(head.status == 200)
            #expect(head[.contentLength] == "10")
            #expect(head.bytes.isEmpty)
            let request = try #require(fixture.network.requests.first)
            #expect(fixture.network.requests.count == 1)
            #expect(request.method == .get)
        }
    }

    @Test("HEAD for what isn't stored is sent as HEAD")
    func headFirst() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x.bin", "", [.cacheControl: "max-age=60", .contentLength: "10"])
            let head = try await fixture.get("x.bin", method: .head)
            #expect(head.bytes.isEmpty)
            #expect(head[.contentLength] == "10")
            #expect(fixture.network.requests.map(\.method) == [.head])
            #expect(try fixture.cachedURLs.isEmpty)
        }
    }

    @Test("methods that no origin should see are refused", arguments: [HTTPRequest.Method.trace, .connect])
    func methods(method: HTTPRequest.Method) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            for path in ["", "x"] {
                let response = try await fixture.get(path, method: method)
                #expect(response.status == 405)
                #expect(response[.allow] == "GET, HEAD, OPTIONS")
            }
            #expect(fixture.network.requests.isEmpty)
        }
    }

    @Test("OPTIONS gets the server's response for a bundled file")
    func options() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let response = try await fixture.get("", method: .options)
            #expect(response.status == 204)
            #expect(response[.allow] == "GET, HEAD, OPTIONS")
            #expect(fixture.network.requests.isEmpty)
        }
    }

    @Test(
        "a URL that no origin covers gets a 404 and is never fetched",
        arguments: [
            ("m.example.com", "/other/x"), ("m.example.com", "/shopping"), ("other.example.com", "/x"),
            ("localhost", "/bare/x.js"), ("localhost", "http://evil.example/shop/x"), ("localhost", "*"),
            ("m.example.com", "/shop/../x"), ("m.example.com", "/shop/%2e%2e/x"),
        ]
    )
    func uncovered(host: String, path: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let request = HTTPRequest(method: .get, scheme: nil, authority: host, path: path)
            let response = try await Received(fixture.responder.respond(to: request))
            #expect(response.status == 404)
            #expect(response.cacheStatus == #"offline-bundles; detail="miss""#)
            #expect(fixture.network.requests.isEmpty)
        }
    }

    @Test("without network or copy a navigation gets the offline page, everything else an explanation, both as 504")
    func unavailable() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.network.isDown = true
            for isOffline in [false, true] {
                let page = try await fixture.get("x", [.accept: "text/html"], offline: isOffline)
                #expect(page.status == 504)
                #expect(page.text == "you are offline")
                #expect(page[.contentType] == "text/html; charset=utf-8")
                #expect(page[.cacheControl] == "no-store")
                #expect(page.cacheStatus == #"offline-bundles; fwd=uri-miss; detail="offline page""#)
                let other = try await fixture.get("x.js", offline: isOffline)
                #expect(other.status == 504)
                #expect(other.text.hasPrefix("https://m.example.com/shop/x.js is neither bundled nor cached"))
                #expect(other[.contentType] == "text/plain; charset=utf-8")
                #expect(other.cacheStatus == #"offline-bundles; fwd=uri-miss; detail="no response""#)
                #expect(try await fixture.get("x.js", method: .head, offline: isOffline).bytes.isEmpty)
            }
        }
    }

    @Test("a request that comes back to this server is a loop; other gateways in its Via aren't")
    func loops() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "x")
            let loop = try await fixture.get("x", [.via: "1.0 fred, 1.1 \(OriginFallback.pseudonym) (a comment)"])
            #expect(loop.status == 508)
            #expect(fixture.network.requests.isEmpty)
            #expect(try await fixture.get("", [.via: "1.1 \(OriginFallback.pseudonym)"]).status == 200)
            let own = OriginFallback.pseudonym
            for via in [
                "1.1 my-\(own)-2", "1.1 fred (\(own))", "1.1 \(own).example.com", "1.1 offline-bundles-another",
            ] {
                #expect(try await fixture.get("x", [.via: via]).status == 200, "\(via)")
            }
            #expect(fixture.network.requests.first?.headerFields[.via]?.hasSuffix("1.1 \(own)") == true)
        }
    }

    @Test("only-if-cached never asks the network")
    func onlyIfCached() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "x")
            #expect(try await fixture.get("x", [.cacheControl: "only-if-cached"]).status == 504)
            #expect(fixture.network.requests.isEmpty)
            _ = try await fixture.get("x")
            #expect(try await fixture.get("x", [.cacheControl: "only-if-cached"]).text == "x")
            fixture.clock.advance(by: .seconds(61))
            #expect(try await fixture.get("x", [.cacheControl: "only-if-cached"]).status == 504)
            #expect(fixture.network.requests.count == 1)
        }
    }

    @Test("fields of one connection are dropped in both directions")
    func hopByHop() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let hop = try #require(HTTPField.Name("X-Hop"))
            let kept = try #require(HTTPField.Name("X-Kept"))
            let keepAlive = try #require(HTTPField.Name("Keep-Alive"))
            let response: HTTPFields = [
                .connection: "close, X-Hop", hop: "1", kept: "2", keepAlive: "timeout=5", .transferEncoding: "chunked",
            ]
            fixture.publish("stored", "x", response.with(.cacheControl, "max-age=60"))
            fixture.publish("passing", "x", response.with(.cacheControl, "no-store"))
            for path in ["stored", "passing", "stored"] {
                let response = try await fixture.get(
                    path,
                    [.connection: "keep-alive, X-Hop", hop: "1", kept: "2", .te: "trailers", .acceptEncoding: "br"]
                )
                #expect(response[kept] == "2")
                for name in [hop, .connection, keepAlive, .transferEncoding] {
                    #expect(response[name] == nil, "\(name)")
                }
            }
            for request in fixture.network.requests {
                #expect(request.headerFields[kept] == "2")
                #expect(request.headerFields[.acceptEncoding] == "identity")
                for name in [hop, .connection, .te] { #expect(request.headerFields[name] == nil, "\(name)") }
            }
            #expect(fixture.network.requests.count == 2)
        }
    }

    @Test("a navigation waits if there are many routes to compare; with few it doesn't", arguments: [1, 250])
    func manyRoutes(count: Int) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let routes = (0..<count).map { #""/**/*a*\#($0)/*""# }.joined(separator: ", ")
            let fallback = #""fallback": {"file": "index.html", "routes": [\#(routes)]}"#
            let manifest = try BundleManifest.sample("app", "1", #""origins": [], \#(fallback)"#)
            try fixture.store.install(manifest, files: ["index.html": "app"], mediaType: { _, _ in "text/html" })
            try fixture.resolver.refresh()
            func request(_ path: String) -> HTTPRequest {
                var request = HTTPRequest(method: .get, scheme: nil, authority: "app.localhost", path: path)
                request.headerFields[.secFetchMode] = "navigate"
                request.headerFields[.secFetchDest] = "document"
                return request
            }
            let path = "/a/long/way/xax0/42"
            guard case .waiting(let rest) = fixture.responder.begin(request(path)) else {
                #expect(count == 1)
                return
            }
            #expect(count == 250)
            let received = try await Received(rest(.none))
            #expect(received.status == 200)
            #expect(received.text == "app")
            guard case .complete = fixture.responder.begin(request("/")) else {
                Issue.record("a short path waits too")
                return
            }
        }
    }

    @Test("the path and query are requested from the network as the client sent them")
    func encodingIsKept() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let kept = [
                "a%20b.js", "a+b.js?c+d", "%C3%A9?%E9", "a%2Bb", "(x)'!*", "x?a=b&c=%5B1%5D", "~%7E", "100%25", "x?",
            ]
            // Characters that a URL can't have are encoded; encoded ones aren't encoded again.
            let encoded = [("a%20b|c", "a%20b%7Cc"), ("x?a=[1]|%20", "x?a=%5B1%5D%7C%20"), ("\u{E9}%20", "%C3%A9%20")]
            for (path, expected) in kept.map({ ($0, $0) }) + encoded {
                _ = try await fixture.get(path)
                #expect(fixture.network.requests.last?.path == "/shop/\(expected)")
            }
        }
    }
}

extension HTTPFields {
    fileprivate func with(_ name: HTTPField.Name, _ value: String) -> HTTPFields {
        var fields = self
        fields[name] = value
        return fields
    }
}
