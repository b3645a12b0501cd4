import BundleEmbedding
import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@Suite("An app's traffic beside its bundles")
struct UnbundledTests {
    private static let api = "https://api.example/v1/items?page=2"

    private func withClient(
        _ configure: @escaping (inout BundleClient.Configuration) -> Void = { _ in },
        _ body: (ClientFixture) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await body(
                ClientFixture(in: directory, local: nil) { configuration in
                    configuration.coversAllOrigins = true
                    configure(&configuration)
                }
            )
        }
    }

    private func rules(_ json: String) throws -> CommonRules { try CommonRules.parse(#"{"rules": \#(json)}"#).rules }

    @Test("is cached, without any bundle in the store, and is there again after a restart without a network")
    func cached() async throws {
        try await withClient { fixture in
            fixture.network.response(Self.api, .ok, [.cacheControl: "max-age=1000000000"], "items")
            #expect(try await fixture.load(Self.api) == "200 network items")
            #expect(try await fixture.load(Self.api) == "200 cache items")
            await fixture.client.store.flushCache()
            #expect(try fixture.client.store.cachedResponses().map(\.url) == [Self.api])
            let offline = try ClientFixture(in: fixture.directory, local: nil, isOffline: true) {
                $0.coversAllOrigins = true
            }
            #expect(try await offline.load(Self.api) == "200 cache items")
            let requests = try await offline.client.statistics().requests
            #expect([requests.cache, requests.total] == [1, 1])
        }
    }

    @Test("stays cached when a bundle is installed, updated and removed, and when the store is pruned and verified")
    func survivesBundles() async throws {
        try await withClient { fixture in
            fixture.network.response(Self.api, .ok, [.cacheControl: "max-age=1000000000"], "items")
            _ = try await fixture.load(Self.api)
            await fixture.client.store.flushCache()
            try fixture.install("1.0.0")
            try fixture.install("1.1.0")
            try fixture.client.store.prune()
            #expect(try fixture.client.store.verify().isEmpty)
            try await fixture.client.remove(ClientFixture.name)
            let again = try ClientFixture(in: fixture.directory, local: nil, network: fixture.network) {
                $0.coversAllOrigins = true
            }
            #expect(try await again.load(Self.api) == "200 cache items")
        }
    }

    @Test("is sent as the app has it: path, fields, cookies, content; the response isn't confined")
    func unchanged() async throws {
        try await withClient { fixture in
            let url = "https://api.example//a/./%2e/b;c?q=%zz"
            fixture.network.response(calling: "https://api.example//a/./%2e/b;c?q=%25zz") { call in
                var bytes: [UInt8] = []
                if let content = call.content { for try await chunk in content { bytes += chunk } }
                let fields: HTTPFields = [
                    .setCookie: "a=b; Domain=example; Path=/", .strictTransportSecurity: "max-age=1",
                ]
                return OriginResponse(.created, fields, String(decoding: bytes, as: UTF8.self))
            }
            let fields: HTTPFields = [.cookie: "id=1", .authorization: "Bearer x", .referer: "https://api.example/"]
            let response = await fixture.client.respond(
                to: ClientFixture.request(url, .post, fields),
                from: ClientExchange(content: BodyStream(Array("body".utf8)), interim: { _ in })
            )
            #expect(response.head.status == .created)
            #expect(response.head.headerFields[.setCookie] == "a=b; Domain=example; Path=/")
            #expect(response.head.headerFields[.strictTransportSecurity] == "max-age=1")
            #expect(try await ClientFixture.text(response) == "201 network body")
            let sent = try #require(fixture.network.requests.last)
            #expect(sent.headerFields[.cookie] == "id=1")
            #expect(sent.headerFields[.authorization] == "Bearer x")
            #expect(sent.headerFields[.referer] == "https://api.example/")
        }
    }

    @Test(
        "goes by the app's rules",
        arguments: [
            (#"[{"match": {"suffix": ".png"}, "strategy": "block"}]"#, "https://a.example//x.png", "403"),
            (
                #"[{"match": {"path": "/old/**"}, "redirect": {"status": 302, "to": "https://b.example/"}}]"#,
                "https://a.example/old/1", "302"
            ),
            (
                #"[{"match": {"path": "/v1/**"}, "rewrite": {"from": "https://a.example/v1/**", "to": "https://b.example/v2/**"}}]"#,
                "https://a.example/v1/x", "200 network from b"
            ),
            (
                #"[{"match": {"path": "/v1/**"}, "rewrite": {"from": "/v1/**", "to": "/v2/**"}}]"#,
                "https://a.example/v1/x", "200 network from a"
            ),
            (#"[{"requestFields": {"set": {"X-App": "1"}}}]"#, "https://a.example/v2/x", "200 network from a"),
            (#"[{"match": {"path": "/mock"}, "mock": {"status": 204}}]"#, "https://a.example/mock", "204"),
        ]
    )
    func rules(_ json: String, _ url: String, _ expected: String) async throws {
        try await withClient({ $0.isDevelopment = true }) { fixture in
            fixture.network.response("https://a.example/v2/x", .ok, [:], "from a")
            fixture.network.response("https://b.example/v2/x", .ok, [:], "from b")
            fixture.client.rules = try rules(json)
            #expect(try await fixture.load(url).hasPrefix(expected))
        }
    }

    @Test("gets other rules at run time")
    func rulesAtRunTime() async throws {
        try await withClient { fixture in
            fixture.network.response(Self.api, .ok, [:], "items")
            #expect(try await fixture.load(Self.api) == "200 network items")
            fixture.client.rules = try rules(#"[{"strategy": "block"}]"#)
            #expect(try await fixture.load(Self.api).hasPrefix("403 "))
            fixture.client.rules = CommonRules()
            #expect(try await fixture.load(Self.api) == "200 network items")
        }
    }

    @Test("goes by the app's code where no rule applies")
    func lastResort() async throws {
        let handler: LastResort.Handler = { request in
            switch request.path {
            case "/own": return .respond(.plain(.ok, "made here", fields: [.contentType: "text/x-own"]))
            case "/moved":
                var other = request
                (other.authority, other.path) = ("b.example", "/there")
                other.headerFields[.authorization] = "Bearer new"
                return .send(other)
            case "/broken": return .send(HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil))
            default: return nil
            }
        }
        try await withClient({ $0.lastResort = handler }) { fixture in
            fixture.network.response("https://b.example/there", .ok, [:], "there")
            fixture.network.response("https://a.example/", .ok, [:], "root")
            #expect(try await fixture.load("https://a.example/own") == "200 server made here\n")
            let own = try await fixture.client.load("https://a.example/own").head.headerFields
            #expect(own[.contentType] == "text/x-own")
            #expect(own[values: HTTPField.Name("Cache-Status")!] == ["offline-bundles; detail=\"app\""])
            #expect(try await fixture.load("https://a.example/moved") == "200 network there")
            #expect(fixture.network.requests.last?.headerFields[.authorization] == "Bearer new")
            #expect(try await fixture.load("https://a.example/") == "200 network root")
            #expect(try await fixture.load("https://a.example/broken").hasPrefix("504 "))
            fixture.client.rules = try rules(#"[{"match": {"path": "/own"}, "strategy": "block"}]"#)
            #expect(try await fixture.load("https://a.example/own").hasPrefix("403 "))
        }
    }

    @Test("is left alone unless the app wants it: no bundle covers it")
    func notCovered() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            #expect(try await fixture.load(Self.api).hasPrefix("404 "))
            #expect(fixture.network.requests.isEmpty)
        }
    }
}
