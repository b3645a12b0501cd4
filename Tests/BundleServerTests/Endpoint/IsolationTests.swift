import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleServer

/// Browsers isolate each bundle in an origin of its own, with every protocol.
@Suite("The isolation of bundles")
struct IsolationTests {
    private static let navigation = [
        ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document"), ("accept", "text/html,*/*"),
    ]

    @Test("a bundle has its own host, where no other bundle is served", arguments: RequestWay.allCases)
    func ownHost(_ way: RequestWay) async throws {
        try await withBundles { endpoint, _ in
            try await endpoint.ask(way) { get async throws in
                #expect(try await get("/", "shop.localhost", Self.navigation).text == "shop")
                #expect(try await get("/", "n--my-ddocs.localhost:1", Self.navigation).text == "docs")
                #expect(try await get("/app.js", "shop.localhost", []).text == "shop()")
                #expect(try await get("/app.js", "n--my-ddocs.localhost", []).text == "docs()")
                #expect(try await get("/my.docs/app.js", "shop.localhost", []).status == 504)
                let page = try await get("/", "shop.localhost", Self.navigation)
                #expect(page["set-cookie"]?.contains("Path=/;") == true)
                #expect(page["vary"]?.contains("Sec-Fetch") != true)
                #expect(try await get("/folder", "shop.localhost", Self.navigation)["location"] == "folder/")
            }
        }
    }

    @Test(
        "opening a page at /NAME/ redirects to the bundle's own host, each time, and tools get the file",
        arguments: RequestWay.allCases,
        ["127.0.0.1", "localhost", "[::1]"]
    )
    func navigations(_ way: RequestWay, _ host: String) async throws {
        try await withBundles { endpoint, _ in
            try await endpoint.ask(way) { get async throws in
                let opening = [
                    Self.navigation, [("sec-fetch-mode", "navigate")], [("sec-fetch-dest", "iframe")],
                    [("sec-fetch-dest", "object"), ("sec-fetch-mode", "navigate")], [("accept", "text/html")],
                ]
                for _ in 0..<2 {
                    let tool = try await get("/shop/app.js?q=1", "\(host):8080", [("accept", "*/*")])
                    #expect(tool.text == "shop()")
                    #expect(tool["vary"]?.contains("Sec-Fetch-Mode, Sec-Fetch-Dest, Accept") == true)
                    let part = try await get(
                        "/shop/app.js",
                        "\(host):8080",
                        [("sec-fetch-mode", "cors"), ("sec-fetch-dest", "empty")]
                    )
                    #expect(part.text == "shop()")
                    for fields in opening {
                        let page = try await get("/shop/app.js?q=1", "\(host):8080", fields)
                        #expect(page.status == 307)
                        #expect(page["location"] == "//shop.localhost:8080/app.js?q=1")
                        #expect(page["cache-control"] == "no-store")
                        #expect(page["vary"]?.contains("Sec-Fetch-Mode") == true)
                    }
                }
            }
        }
    }

    @Test("a bundle whose name is too long for a host gets an explanation that names the options")
    func longName() async throws {
        try await withStore { store in
            let name = String(repeating: "a", count: 64)
            try store.install(#"{"name": "\#(name)", "version": "1", "origins": []}"#, ["index.html": "long"])
            try await withEndpoint(store) { endpoint async throws in
                #expect(try await endpoint.get("/\(name)/").text == "long")
                let page = try await endpoint.get("/\(name)/", ["Accept: text/html"])
                #expect(page.status == 404)
                #expect(page.text.contains("operator can give it a host or a path of its own"))
            }
        }
    }

    @Test(
        "on other hosts /NAME/ is served only with a setting, which the response names",
        arguments: [
            ([], [], false, 404), (["shop=/shop"], [], false, 200), ([], ["shop=kiosk.example"], false, 504),
            ([], [], true, 200),
        ]
            as [([String], [String], Bool, Int)]
    )
    func otherHosts(_ mounts: [String], _ hosts: [String], _ isShared: Bool, _ status: Int) async throws {
        try await withBundles { configuration in
            configuration.allowedHosts = [.named("kiosk.example")]
            configuration.addresses = BundleAddresses(
                mounts: mounts.compactMap(Mount.init),
                hosts: hosts.compactMap(BundleHost.init),
                sharesOrigin: isShared
            )
        } _: { endpoint, _ in
            for way in RequestWay.allCases {
                try await endpoint.ask(way) { get async throws in
                    for fields in [Self.navigation, []] {
                        let response = try await get("/shop/app.js", "kiosk.example", fields)
                        #expect(response.status == status)
                        if mounts.isEmpty, hosts.isEmpty, !isShared {
                            let advice = "operator can give it a host or a path of its own, or open all bundles here."
                            #expect(response.text.contains(advice))
                        }
                    }
                }
            }
        }
    }

    @Test("a host can be assigned to a bundle, and then belongs to no other", arguments: RequestWay.allCases)
    func givenHost(_ way: RequestWay) async throws {
        try await withBundles { configuration in
            configuration.addresses.hosts = ["shop=kiosk.example", "gone=gone.example"].compactMap(BundleHost.init)
        } _: { endpoint, _ in
            try await endpoint.ask(way) { get async throws in
                #expect(try await get("/app.js", "kiosk.example:8080", Self.navigation).text == "shop()")
                #expect(try await get("/my.docs/app.js", "kiosk.example", []).status == 504)
                #expect(try await get("/", "gone.example", Self.navigation)["clear-site-data"] != nil)
            }
        }
    }

    @Test("a mount at the root keeps its address when other bundles are installed: their names aren't under it")
    func rootMount() async throws {
        try await withBundles {
            $0.addresses.mounts = [Mount("shop=/")].compactMap(\.self)
        } _: { endpoint, _ in
            for way in RequestWay.allCases {
                try await endpoint.ask(way) { get async throws in
                    #expect(try await get("/", "127.0.0.1:8080", Self.navigation).text == "shop")
                    #expect(try await get("/app.js", "127.0.0.1", [("service-worker", "script")]).text == "shop()")
                    #expect(try await get("/app.js", "127.0.0.1", []).text == "shop()")
                    for fields in [[], Self.navigation] {
                        #expect(try await get("/my.docs/app.js", "127.0.0.1", fields).status == 504)
                    }
                    #expect(try await get("/.bundles/my.docs", "127.0.0.1", []).status == 504)
                    #expect(try await get("/.bundles/shop", "127.0.0.1", []).status == 200)
                    #expect(try await get("/app.js", "n--my-ddocs.localhost", []).text == "docs()")
                }
            }
        }
        try await withStore { store in
            try store.installShop()
            let mount = try #require(Mount("shop=/"))
            try await withEndpoint(store, configure: { $0.addresses.mounts = [mount] }) { endpoint async throws in
                #expect(try await endpoint.get("/", ["Sec-Fetch-Mode: navigate"]).status == 200)
                #expect(try await endpoint.get("/app.js", ["Service-Worker: script"]).text == "run()")
            }
        }
    }

    @Test("a page at a mount can't read another bundle's files at its name", arguments: RequestWay.allCases)
    func mountedPage(_ way: RequestWay) async throws {
        try await withBundles {
            $0.addresses.mounts = [Mount("shop=/m")].compactMap(\.self)
        } _: { endpoint, _ in
            try await endpoint.ask(way) { get async throws in
                let script = [
                    ("sec-fetch-site", "same-origin"), ("sec-fetch-mode", "cors"), ("sec-fetch-dest", "empty"),
                ]
                for _ in 1...2 {
                    #expect(try await get("/my.docs/app.js", "127.0.0.1", script).status == 403)
                    #expect(try await get("/m/app.js", "127.0.0.1", script).text == "shop()")
                    let tool = try await get("/my.docs/app.js", "127.0.0.1", [])
                    #expect(tool.text == "docs()" && tool["vary"]?.contains("Sec-Fetch-Site") == true)
                }
            }
        }
    }

    @Test("where several bundles are served, no cookie of a client reaches an origin, and no worker starts")
    func sharedHost() async throws {
        try await withBundles { endpoint, network in
            for way in RequestWay.allCases {
                try await endpoint.ask(way) { get async throws in
                    let fields = [("cookie", "session=secret"), ("sec-fetch-mode", "cors")]
                    #expect(try await get("/shop/api.json", "localhost", fields)["set-cookie"] == nil)
                    #expect(
                        try await get("/api.json", "shop.localhost", fields)["set-cookie"]
                            == "session=1; HttpOnly; Path=/"
                    )
                    let worker = try await get("/shop/app.js", "localhost", [("service-worker", "script")])
                    #expect(worker.status == 200)
                    #expect(worker.text.contains("unregister"))
                    #expect(worker["content-type"]?.hasPrefix("text/javascript") == true)
                    #expect(worker["clear-site-data"] == nil)
                    #expect(try await get("/app.js", "shop.localhost", [("service-worker", "script")]).text == "shop()")
                    #expect(try await get("/shop/app.js", "localhost", []).text == "shop()")
                }
            }
            let sent = network.requests.map { $0.headerFields[.cookie] }
            #expect(sent == [nil, "session=secret", nil, "session=secret", nil, "session=secret"])
        }
    }

    @Test("a manifest's Service-Worker-Allowed isn't sent on any host", arguments: RequestWay.allCases)
    func manifestFields(_ way: RequestWay) async throws {
        try await withBundles { endpoint, _ in
            try await endpoint.ask(way) { get async throws in
                for (path, host) in [("/sw.js", "n--my-ddocs.localhost"), ("/my.docs/sw.js", "localhost")] {
                    let script = try await get(path, host, [])
                    #expect(script.status == 200)
                    #expect(script["x-kept"] == "1")
                    #expect(script["service-worker-allowed"] == nil)
                }
            }
        }
    }

    @Test(
        "the host of a removed bundle clears the bundle's data in browsers, and its worker's script removes the worker"
    )
    func removed() async throws {
        try await withBundles { endpoint, _ in
            for way in RequestWay.allCases {
                try await endpoint.ask(way) { get async throws in
                    for fields in [Self.navigation, [], [("sec-fetch-site", "cross-site")] + Self.navigation] {
                        let page = try await get("/deep/page", "gone.localhost", fields)
                        #expect(page.status == 404)
                        #expect(page["clear-site-data"] == #""cache", "cookies", "storage""#)
                        #expect(page.text.contains("There is no bundle of this name."))
                    }
                    for path in ["/healthz", "/readyz"] {
                        let page = try await get(path, "gone.localhost", Self.navigation)
                        #expect(page.status == 404)
                        #expect(page["clear-site-data"] != nil)
                        #expect(try await get(path, "localhost", Self.navigation).status == 200)
                    }
                    let worker = try await get("/sw.js", "gone.localhost", [("service-worker", "script")])
                    #expect(worker.status == 200)
                    #expect(worker.text.contains("unregister"))
                    #expect(worker["clear-site-data"] == nil)
                    #expect(
                        try await get("/gone/sw.js", "localhost", [("service-worker", "script")]).text.contains(
                            "unregister"
                        )
                    )
                }
            }
        }
    }

    @Test(
        "nothing is cleared for an existing bundle, at no bundle's address, or because another site names the address",
        arguments: [
            ("shop.localhost", [], 404), ("x.gone.localhost", [], 404), ("localhost", [], 404),
            ("gone.localhost", [("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "image")], 404),
            ("evil.example", [], 421),
        ] as [(String, [(String, String)], Int)]
    )
    func notCleared(_ host: String, _ fields: [(String, String)], _ status: Int) async throws {
        try await withBundles { endpoint, _ in
            for way in RequestWay.allCases {
                try await endpoint.ask(way) { get async throws in
                    let response = try await get("/nothing/here", host, fields)
                    #expect(response.status == (host == "shop.localhost" ? 504 : status))
                    #expect(response["clear-site-data"] == nil)
                }
            }
        }
    }

    @Test("a damaged bundle's data in browsers isn't cleared")
    func damaged() async throws {
        try await withStore { store in
            try store.installShop()
            for name in try FileManager.default.contentsOfDirectory(atPath: store.path + "/indexes") {
                try Data("damaged".utf8).write(to: URL(fileURLWithPath: store.path + "/indexes/" + name))
            }
            let store = try BundleStore(at: store.path)
            #expect(store.snapshot.bundles.values.allSatisfy { $0.active == nil && $0.isDegraded })
            try await withEndpoint(store) { endpoint async throws in
                let page = try await endpoint.get("/", host: "shop.localhost")
                #expect(page.status == 500)
                #expect(page["clear-site-data"] == nil)
                #expect(try await endpoint.get("/", host: "gone.localhost")["clear-site-data"] != nil)
            }
        }
    }

    private func withBundles(
        configure: (inout BundleEndpoint.Configuration) -> Void = { _ in },
        _ body: (RunningEndpoint, ScriptedTransport) async throws -> Void
    ) async throws {
        try await withStore { store in
            try store.install(
                #"{"name": "shop", "version": "1", "origins": [{"url": "https://m.example.com/shop/", "path": "/"}]}"#,
                ["index.html": "shop", "app.js": "shop()", "folder/index.html": "inside"]
            )
            try store.install(
                """
                {"name": "my.docs", "version": "1", "origins": [],
                 "headers": {"/sw.js": {"Service-Worker-Allowed": "/", "X-Kept": "1"}}}
                """,
                ["index.html": "docs", "app.js": "docs()", "sw.js": "work()"]
            )
            let network = ScriptedTransport()
            let fields: HTTPFields = [
                .cacheControl: "no-store", .setCookie: "session=1; HttpOnly; Domain=localhost; Path=/",
            ]
            network.response("https://m.example.com/shop/api.json", .ok, fields, "{}")
            try await withEndpoint(store, transport: network, configure: configure) { endpoint in
                try await body(endpoint, network)
            }
        }
    }
}
