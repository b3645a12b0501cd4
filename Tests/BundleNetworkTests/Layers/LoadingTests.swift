import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Loading a URL in an app")
struct LoadingTests {
    private func withApp(_ body: (FallbackFixture, LayeredResponder) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            try await body(fixture, LayeredResponder(fixture.store, transport: fixture.network))
        }
    }

    private func load(_ url: String, _ app: LayeredResponder, isPage: Bool = false) async throws -> String {
        let response = try await app.load(url, isPage: isPage)
        let text = String(decoding: try await response.bytes(ofAnyStatus: true), as: UTF8.self)
        return "\(response.head.status.code) \(response.source.layer) \(text)"
    }

    @Test("goes through the layers: bundle, network, cache")
    func layers() async throws {
        try await withApp { fixture, app in
            let origin = FallbackFixture.origin
            fixture.publish("api", "stock", [.cacheControl: "max-age=1000000000"])
            fixture.publish("own", "basket", [.cacheControl: "private, max-age=1000000000"])
            let bundled = try await load("\(origin)?q#f", app)
            #expect(bundled == "200 active entry")
            let fetched = try await load("\(origin)api", app)
            #expect(fetched == "200 network stock")
            let kept = try await load("\(origin)api", app)
            #expect(kept == "200 cache stock")
            #expect(fixture.network.requests.count == 1)
            #expect(try await load("\(origin)own", app) == "200 network basket")
            #expect(try await load("\(origin)own", app) == "200 cache basket")
        }
    }

    @Test("an endpoint of several users on the same store never serves what is private to the app's user")
    func privateToUser() async throws {
        try await withApp { fixture, app in
            let url = "\(FallbackFixture.origin)own"
            fixture.publish("own", "mine", [.cacheControl: "private, max-age=1000000000", .eTag: #""1""#])
            #expect(try await load(url, app) == "200 network mine")
            let shared = LayeredResponder(
                fixture.store,
                transport: fixture.network,
                policy: CachePolicy(isShared: true)
            )
            fixture.publish("own", "yours", [.cacheControl: "private, max-age=1000000000", .eTag: #""2""#])
            #expect(try await load(url, shared) == "200 network yours")
            #expect(fixture.network.requests.last?.headerFields.contains(.ifNoneMatch) == false)
            #expect(try await load(url, app) == "200 cache mine")
            let offline = LayeredResponder(fixture.store, transport: nil, policy: CachePolicy(isShared: true))
            let missing = try await load(url, offline)
            #expect(missing.hasPrefix("504 "))
        }
    }

    @Test("goes by the network rules of the manifest, and by what the app says of the link")
    func rules() async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path, creating: true)
            let rules = #"""
                [
                    {"match": {"path": "/ads/**"}, "strategy": "block"},
                    {"match": {"suffix": ".png"}, "onlyIfMetered": true, "strategy": "block"},
                    {"match": {"path": "/live/**"}, "strategy": "network-only"},
                    {"match": {"path": "/old/**"}, "rewrite": {"from": "/old/**", "to": "/new/**"}}
                ]
                """#
            try store.install(
                .sample(
                    "shop",
                    "1",
                    #""origins": [{"url": "https://m.example.com/", "path": "/"}], "network": {"rules": \#(rules)}"#
                ),
                files: ["index.html": ""]
            )
            let (network, link) = (ScriptedTransport(), NetworkLink())
            for path in ["ads/a", "a.png", "b.png", "live/a", "new/a"] {
                let fields: HTTPFields = [.cacheControl: "max-age=1000000000"]
                network.response("https://m.example.com/\(path)", .ok, fields, path)
            }
            // The app's own rules of caching, beside those of the network.
            let app = LayeredResponder(store, transport: network, policy: CachePolicy(isShared: true), link: link)
            func load(_ path: String) async throws -> String {
                try await self.load("https://m.example.com/\(path)", app)
            }
            #expect(try await load("ads/a").hasPrefix("403 server "))
            #expect(try await load("a.png") == "200 network a.png")
            #expect(try await load("a.png") == "200 cache a.png")
            link.isMetered = true
            // Stored already, it costs the link nothing.
            #expect(try await load("a.png") == "200 cache a.png")
            #expect(try await load("b.png").hasPrefix("403 server "))
            link.isMetered = false
            #expect(try await load("b.png") == "200 network b.png")
            for _ in 0..<2 { #expect(try await load("live/a") == "200 network live/a") }
            #expect(try await load("old/a") == "200 network new/a")
        }
    }

    @Test("goes by the app's own rules before those of the manifest", arguments: [false, true])
    func commonRules(isDevelopment: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path(of: "store"), creating: true)
            let manifest = #"""
                "origins": [{"url": "https://m.example.com/", "path": "/"}],
                "network": {"rules": [{"match": {"path": "/b"}, "redirect": {"status": 308, "to": "/c"}}]}
                """#
            try store.install(.sample("shop", "1", manifest), files: ["index.html": ""])
            let text = #"""
                {"rules": [{"match": {"path": "/a"}, "strategy": "block"},
                           {"match": {"path": "/b"}, "mock": {"file": "b.txt"}},
                           {"match": {"path": "/c"}, "rewrite": {"from": "/c", "to": "/d"}},
                           {"match": {"path": "/x"}}, {"match": {"path": "/x"}, "strategy": "block"}]}
                """#
            _ = try directory.write(tree: ["rules.json": text, "b.txt": "mocked"], to: "app")
            let (rules, warnings) = try CommonRules.read(directory.path(of: "app/rules.json"))
            #expect(warnings.count == 1)
            let network = ScriptedTransport()
            for path in ["a", "b", "c", "d"] { network.response("https://m.example.com/\(path)", .ok, [:], path) }
            let app = LayeredResponder(
                store,
                transport: network,
                networkRules: rules,
                isDevelopment: isDevelopment
            )
            let first = try await load("https://m.example.com/a", app)
            #expect(first.hasPrefix("403 server "))
            let second = try await load("https://m.example.com/b", app)
            #expect(isDevelopment ? second == "200 server mocked" : second.hasPrefix("308 server "))
            #expect(try await load("https://m.example.com/c", app) == "200 network d")
        }
    }

    @Test("tells which origins are out, since when, and when they are asked again")
    func originStates() async throws {
        try await withApp { fixture, app in
            #expect(app.originStates.isEmpty)
            fixture.publish("api", "stock")
            _ = try await load("\(FallbackFixture.origin)api", app)
            var state = try #require(app.originStates.first)
            #expect(state.origin == "https://m.example.com" && state.circuit == .closed && state.recent == [200])
            #expect(state.outSince == nil && state.nextTry == nil && state.failure == nil)
            fixture.network.isDown = true
            let start = Date()
            let missing = try await load("\(FallbackFixture.origin)other", app)
            #expect(missing.hasPrefix("504 "))
            state = try #require(app.originStates.first)
            let since = try #require(state.outSince)
            let next = try #require(state.nextTry)
            #expect(state.circuit == .open && start <= since && since <= Date() && since <= next)
            #expect(state.failure?.contains("no server responds") == true && state.recent.last == 0)
            fixture.network.isDown = false
            fixture.publish("third", "there")
            _ = try await load("\(FallbackFixture.origin)third", app)
            state = try #require(app.originStates.first)
            #expect(state.circuit == .closed && state.outSince == nil && state.nextTry == nil)
        }
    }

    @Test("says nothing of a server, which an app isn't")
    func words() async throws {
        try await withApp { fixture, app in
            let missing = FallbackFixture.origin + "missing"
            let offline = LayeredResponder(fixture.store, transport: nil)
            for responder in [app, offline] {
                let text = try await load(missing, responder)
                #expect(text.hasPrefix("504 miss \(missing) is neither bundled nor cached, and the network "))
                #expect(!text.contains("this server") && !text.contains("the server"))
            }
        }
    }

    @Test("the offline page stands in for a page alone")
    func pages() async throws {
        try await withApp { fixture, _ in
            let app = LayeredResponder(fixture.store, transport: nil)
            let url = FallbackFixture.origin + "missing"
            let page = try await load(url, app, isPage: true)
            #expect(page == "504 miss you are offline")
            let part = try await load(url, app)
            #expect(part.hasPrefix("504 miss "))
            #expect(!part.contains("you are offline"))
        }
    }

    @Test("what another process has installed since is used")
    func refreshed() async throws {
        try await withApp { fixture, app in
            let first = try await app.load(FallbackFixture.origin)
            #expect(first.source.release?.version.string == "1.0.0")
            let other = try BundleStore(at: fixture.directory.path)
            try other.install(
                try .sample("shop", "2.0.0", #""origins": [{"url": "\#(FallbackFixture.origin)", "path": "/"}]"#),
                files: ["index.html": "new"]
            )
            let second = try await load(FallbackFixture.origin, app)
            #expect(second == "200 active new")
        }
    }

    @Test("what is no URL is refused", arguments: ["", "shop", "/shop/", "ftp://m.example.com/", "https://"])
    func refused(_ url: String) async throws {
        try await withApp { fixture, app in
            let error = await #expect(throws: BundleError.self) { try await app.load(url) }
            #expect(error?.code == .invalidArgument)
            #expect(fixture.network.requests.isEmpty)
        }
    }

    @Test("a body over the limit isn't collected, wherever it comes from", arguments: [4, 5])
    func limit(_ limit: Int) async throws {
        let stream = ServedResponse.streaming(
            HTTPResponse(status: .ok),
            BodyStream([UInt8](repeating: 1, count: 5)),
            ResponseSource(.network)
        )
        let complete = ServedResponse.complete(.init(head: .init(status: .ok), body: .init("12345")), .init(.active))
        for response in [stream, complete] {
            if limit == 5 {
                let bytes = try await response.bytes(atMost: limit)
                #expect(bytes.count == 5)
            } else {
                let error = await #expect(throws: BundleError.self) { try await response.bytes(atMost: limit) }
                #expect(error?.message.contains("more than 4 bytes") == true)
                #expect(error?.code == .tooLarge)
            }
        }
    }

    @Test("a body that arrives is read once, and is never taken for an empty one")
    func once() async throws {
        let chunks = AsyncStream<[UInt8]> { continuation in
            continuation.yield([1, 2])
            continuation.finish()
        }
        let response = ServedResponse.streaming(.init(status: .ok), BodyStream(chunks), ResponseSource(.network))
        #expect(response.body == nil)
        #expect(try await response.bytes() == [1, 2])
        let error = await #expect(throws: BundleError.self) { try await response.bytes() }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("has been read already") == true)
    }

    @Test(
        "the text of an error isn't taken for what was asked for, unless any status is accepted",
        arguments: [404, 504]
    )
    func failure(_ status: Int) async throws {
        try await withApp { fixture, app in
            let url = "\(FallbackFixture.origin)missing"
            if status == 404 { fixture.network.response(url, .notFound, [:], "not here") }
            let response = try await app.load(url)
            #expect(response.head.status.code == status)
            let error = await #expect(throws: BundleError.self) { try await response.bytes() }
            #expect(error?.code == (status == 404 ? .notFound : .networkUnavailable))
            #expect(error?.message.contains(status == 404 ? "has the status 404" : "no server responds") == true)
            #expect(try await response.bytes(ofAnyStatus: true).isEmpty == false)
        }
    }
}
