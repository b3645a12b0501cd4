import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleServer

/// The data that browsers keep for one publisher doesn't reach the next one of the same name, with every protocol.
@Suite("A name that has passed to another publisher")
struct PublisherChangeTests {
    private static let host = "shop.localhost:8080"
    private static let document = [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")]
    private static let part = [("sec-fetch-mode", "cors"), ("sec-fetch-dest", "empty")]
    private static let everything = #""cache", "cookies", "storage""#

    @Test("clears each browser once, and then opens", arguments: RequestWay.allCases)
    func opened(_ way: RequestWay) async throws {
        try await withSuccessor { endpoint, network in
            try await endpoint.ask(way) { get async throws in
                // Twice, to show that it isn't a ready response.
                for _ in 0..<2 {
                    let clearing = try await get("/?q=1", Self.host, Self.document + [("sec-fetch-site", "cross-site")])
                    #expect(clearing.status == 200)
                    #expect(clearing["clear-site-data"] == Self.everything)
                    #expect(clearing["set-cookie"] == nil)
                    #expect(clearing["cache-control"] == "no-store")
                    #expect(!clearing.text.contains("second"))
                    let refresh = try #require(clearing["refresh"])
                    #expect(refresh.hasPrefix("0;url=./?q=1&"))
                    let proof = String(refresh.dropFirst("0;url=.".count))

                    let foreign = try await get(proof, Self.host, Self.document + [("sec-fetch-site", "cross-site")])
                    #expect(foreign["clear-site-data"] == Self.everything)
                    #expect(foreign["set-cookie"] == nil)

                    let marking = try await get(proof, Self.host, Self.document + [("sec-fetch-site", "same-origin")])
                    #expect(marking.status == 307)
                    #expect(marking["clear-site-data"] == nil)
                    let cookie = try #require(marking["set-cookie"])
                    #expect(cookie.hasPrefix("offline-bundles.+publisher="))
                    #expect(cookie.hasSuffix("; Path=/; Max-Age=34560000; SameSite=Lax; HttpOnly"))
                    let marked = "/?q=1&offline-bundles.cleared=marked"
                    #expect(marking["location"] == "." + marked)

                    let stubborn = try await get(marked, Self.host, Self.document)
                    #expect(stubborn.text == "second")
                    #expect(stubborn["clear-site-data"] == Self.everything)
                    #expect(stubborn["set-cookie"] == nil)
                    #expect(stubborn["cache-control"] == "no-store")

                    let pair = ("cookie", "a=b; " + cookie.prefix { $0 != ";" })
                    let leaving = try await get(marked, Self.host, Self.document + [pair])
                    #expect(leaving["location"] == "./?q=1")
                    let page = try await get("/?q=1", Self.host, Self.document + [pair])
                    #expect(page.text == "second")
                    #expect(page["clear-site-data"] == nil)
                    let api = try await get("/api", Self.host, Self.part + [pair])
                    #expect(api["set-cookie"] == "session=1")
                    let worker = try await get("/sw.js", Self.host, [pair, ("service-worker", "script")])
                    #expect(worker.text == "work()")
                }
            }
            #expect(network.requests.map { $0.headerFields[.cookie] } == ["a=b", "a=b"])
        }
    }

    @Test(
        "passes no cookies to or from the origin, and no worker, before a browser has been cleared",
        arguments: RequestWay.allCases
    )
    func parts(_ way: RequestWay) async throws {
        try await withSuccessor { endpoint, network in
            try await endpoint.ask(way) { get async throws in
                for _ in 0..<2 {
                    let api = try await get("/api", Self.host, Self.part + [("cookie", "session=secret")])
                    #expect(api.text == "{}")
                    #expect(api["set-cookie"] == nil)
                    #expect(try await get("/app.js", Self.host, Self.part).text == "second()")
                    let page = Self.part + [("cookie", "session=secret; offline-bundles.shop=1")]
                    #expect(try await get("/app.js", Self.host, page).status == 403)
                    #expect(try await get("/api", Self.host, page).status == 403)
                    let worker = try await get("/sw.js", Self.host, [("service-worker", "script")])
                    #expect(worker.text.contains("unregister"))
                }
                // On other hosts, nothing of the bundle's own host is kept.
                #expect(try await get("/shop/app.js", "localhost", Self.part).text == "second()")
                #expect(try await get("/app.js", "b.example", Self.document)["clear-site-data"] == nil)
            }
            #expect(network.requests.map { $0.headerFields[.cookie] } == [nil, nil])
        }
    }

    @Test(
        "distinguishes a page's version from an equal one of an earlier publisher",
        arguments: RequestWay.allCases
    )
    func versions(_ way: RequestWay) async throws {
        try await withSuccessor { endpoint, _ in
            try await endpoint.ask(way) { get async throws in
                let clearing = try await get("/", Self.host, Self.document)
                let proof = String(try #require(clearing["refresh"]).dropFirst("0;url=.".count))
                let marking = try await get(proof, Self.host, Self.document + [("sec-fetch-site", "same-origin")])
                let pair = try #require(marking["set-cookie"]).prefix { $0 != ";" }
                let page = try await get("/", Self.host, Self.document + [("cookie", String(pair))])
                let told = page.fields.filter { $0.name == "set-cookie" }.map(\.value).joined(separator: "\n")
                let version = try #require(told.firstMatch(of: /offline-bundles\.shop=(1~[0-9a-f]{8});/)).1
                for _ in 0..<2 {
                    let cookie = ("cookie", "\(pair); offline-bundles.shop=\(version)")
                    #expect(try await get("/app.js", Self.host, Self.part + [cookie]).text == "second()")
                }
            }
        }
    }

    @Test("changes nothing for bundles with the same publisher")
    func first() async throws {
        try await withStore { store in
            try store.installShop("1.0.0")
            try store.installShop("1.1.0", origin: "https://m.example.com/other/")
            try await withEndpoint(store) { endpoint async throws in
                let page = try await endpoint.get("/", host: "shop.localhost", ["Sec-Fetch-Mode: navigate"])
                #expect(page.status == 200)
                #expect(page["clear-site-data"] == nil)
                #expect(page["refresh"] == nil)
            }
        }
    }

    /// Passes on an endpoint whose bundle `shop` was another publisher's.
    private func withSuccessor(_ body: (RunningEndpoint, ScriptedTransport) async throws -> Void) async throws {
        try await withStore { store in
            func install(_ host: String, _ text: String) throws {
                try store.install(
                    #"{"name": "shop", "version": "1", "origins": [{"url": "https://\#(host)/", "path": "/"}]}"#,
                    ["index.html": text, "app.js": "\(text)()", "sw.js": "work()"]
                )
            }
            try install("a.example", "first")
            let name = BundleName("shop")
            try store.remove(name, nil)
            try install("b.example", "second")
            let network = ScriptedTransport()
            let fields: HTTPFields = [.cacheControl: "no-store", .setCookie: "session=1"]
            network.response("https://b.example/api", .ok, fields, "{}")
            try await withEndpoint(store, transport: network) { try await body($0, network) }
        }
    }
}
