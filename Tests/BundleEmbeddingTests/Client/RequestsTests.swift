import BundleEmbedding
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Requests of an app")
struct RequestsTests {
    @Test("a bundled file is resolved and begun on the calling thread, without a request to the network")
    func bundled() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            let resource = try #require(fixture.client.resolve("\(ClientFixture.origin)app.js?v=1#x"))
            #expect(String(decoding: resource.contents.array, as: UTF8.self) == "script")
            #expect(fixture.client.resolve("\(ClientFixture.origin)missing.js") == nil)
            #expect(fixture.client.resolve("https://other.example/app.js") == nil)
            let request = ClientFixture.request("\(ClientFixture.origin)app.js", .get, [.range: "bytes=1-2"])
            guard case .complete(let response, let source, _) = fixture.client.startResponse(to: request) else {
                Issue.record("it has to wait")
                return
            }
            #expect(response.head.status == .partialContent)
            #expect(String(decoding: response.body.array, as: UTF8.self) == "cr")
            #expect(source.layer == .active)
            #expect(fixture.network.requests.isEmpty)
        }
    }

    @Test("URLs of Foundation are taken too, and bodies given as its data")
    func foundation() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            let url = try #require(URL(string: "app.js?v=1#x", relativeTo: URL(string: ClientFixture.origin)))
            #expect(fixture.client.covers(url))
            #expect(fixture.client.resolve(url)?.data == Data("script".utf8))
            #expect(try await fixture.client.load(url).data() == Data("script".utf8))
            #expect(!fixture.client.covers(URL(fileURLWithPath: directory.path)))
        }
    }

    @Test("errors say what is wrong where Foundation asks for it")
    func localized() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            let error = await #expect(throws: BundleError.self) {
                try await fixture.client.load("ftp://m.example.com/")
            }
            #expect(error?.localizedDescription == error?.message)
        }
    }

    @Test("what is in the cache's memory is begun on the calling thread too")
    func remembered() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            fixture.network.response("\(ClientFixture.origin)api", .ok, [.cacheControl: "max-age=1000000000"], "stock")
            #expect(try await fixture.load("\(ClientFixture.origin)api") == "200 network stock")
            guard
                case .complete(_, let source, _) = fixture.client.startResponse(
                    to: ClientFixture.request("\(ClientFixture.origin)api")
                )
            else {
                Issue.record("it has to wait")
                return
            }
            #expect(source.layer == .cache)
        }
    }

    @Test("the cache's memory has the bound of the configuration")
    func cacheMemory() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory) { $0.cacheMemoryByteCount = 0 }
            let url = "\(ClientFixture.origin)api"
            fixture.network.response(url, .ok, [.cacheControl: "max-age=1000000000"], "stock")
            fixture.network.response("\(url)/news", .ok, [.cacheControl: "max-age=1000000000"], "news")
            #expect(try await fixture.load(url) == "200 network stock")
            await fixture.client.store.flushCache()
            // A response leaves the memory for a later one, once it is written.
            #expect(try await fixture.load("\(url)/news") == "200 network news")
            guard case .waiting = fixture.client.startResponse(to: ClientFixture.request(url)) else {
                Issue.record("it is in memory")
                return
            }
            #expect(try await fixture.load(url) == "200 cache stock")
        }
    }

    @Test(
        "covers URLs below the bundles' origins, and all others only if the app wants that",
        arguments: [
            ("https://m.example.com/shop/app.js", true, true), ("https://m.example.com/shop/missing", true, true),
            ("https://m.example.com/blog/", false, true), ("http://api.example/", false, true),
            ("ftp://m.example.com/shop/", false, false), ("/shop/", false, false), ("", false, false),
        ]
    )
    func covering(_ url: String, isCovered: Bool, isCoveredByAll: Bool) async throws {
        try await withTemporaryDirectory { directory in
            #expect(try ClientFixture(in: directory).client.covers(url) == isCovered)
            let all = try ClientFixture(in: directory, local: nil) { $0.coversAllOrigins = true }
            #expect(all.client.covers(url) == isCoveredByAll)
        }
    }

    @Test("goes through the layers, and works without a network afterwards")
    func layers() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            fixture.network.response("\(ClientFixture.origin)api", .ok, [.cacheControl: "max-age=1000000000"], "stock")
            #expect(try await fixture.load("\(ClientFixture.origin)", isPage: true) == "200 active page")
            #expect(try await fixture.load("\(ClientFixture.origin)api") == "200 network stock")
            await fixture.client.store.flushCache()
            let offline = try ClientFixture(in: directory, local: nil, isOffline: true)
            #expect(try await offline.load("\(ClientFixture.origin)api") == "200 cache stock")
            #expect(try await offline.load("\(ClientFixture.origin)other").hasPrefix("504 miss "))
        }
    }

    @Test("an origin isn't told that a gateway asks: some compress nothing then")
    func noVia() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            fixture.network.response("\(ClientFixture.origin)api", .ok, [:], "stock")
            _ = try await fixture.load("\(ClientFixture.origin)api")
            #expect(fixture.network.requests.map { $0.headerFields.contains(.via) } == [false])
        }
    }

    @Test("what an origin says of all its pages reaches an app, unless a rule has asked another host")
    func originWide() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory, local: nil)
            let origins = ClientFixture.origin
            let manifest = try BundleManifest.sample(
                "shop",
                "1.0.0",
                #""origins": [{"url": "\#(origins)", "path": "/"}, {"url": "https://cdn.example/", "path": "/cdn"}], "#
                    + #""network": {"rules": [{"match": {"path": "/moved"}, "rewrite": {"from": "/moved", "to": "https://cdn.example/moved"}}]}"#
            )
            try fixture.client.store.install(manifest, files: ["index.html": "page"])
            fixture.client.refresh()
            let fields: HTTPFields = [
                .setCookie: "a=b; Domain=example.com; Path=/", .strictTransportSecurity: "max-age=1",
                .cacheControl: "no-store",
            ]
            fixture.network.response("\(origins)login", .ok, fields, "in")
            fixture.network.response("https://cdn.example/moved", .ok, fields, "moved")
            let own = try await fixture.client.load("\(origins)login").head.headerFields
            #expect(own[.setCookie] == "a=b; Domain=example.com; Path=/")
            #expect(own[.strictTransportSecurity] == "max-age=1")
            let foreign = try await fixture.client.load("\(origins)moved").head.headerFields
            #expect(foreign[.setCookie] == "a=b; Path=/shop/")
            #expect(foreign[.strictTransportSecurity] == nil)
        }
    }

    @Test("a cancelled task doesn't wait for an origin that hasn't responded, and the request to it ends")
    func cancellation() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            let (latch, ended) = (Latch(), Latch())
            fixture.network.response("\(ClientFixture.origin)slow") { _ in
                defer { if Task.isCancelled { ended.open() } }
                try await latch.wait()
                return OriginResponse(.ok, [:], "late")
            }
            let task = Task { try await fixture.load("\(ClientFixture.origin)slow") }
            try await latch.waitForArrivals()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await ended.wait()
        }
    }

    @Test(
        "what isn't an http URL is refused",
        arguments: ["", "shop", "ftp://m.example.com/", "https://m.example.com/ x"]
    )
    func invalid(_ url: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            let error = await #expect(throws: BundleError.self) { try await fixture.client.load(url) }
            #expect(error?.code == .invalidArgument)
        }
    }
}
