import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleServer

/// An endpoint behind a proxy that removes `/kiosk` from the paths that clients ask for.
@Suite("A public URL")
struct PublicURLTests {
    private static let document = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Accept: text/html"]
    private static let host = "kiosk.example"

    private func withProxied(
        _ publicURL: String = "https://kiosk.example/kiosk/",
        mounts: [String] = ["shop=/m"],
        hosts: [String] = [],
        _ body: (RunningEndpoint, ScriptedTransport, BundleStore) async throws -> Void
    ) async throws {
        try await withStore { store in
            let network = ScriptedTransport()
            try store.installShop()
            let url = try OriginURL(publicURL)
            try await withEndpoint(
                store,
                transport: network,
                configure: {
                    $0.addresses.mounts = mounts.compactMap(Mount.init)
                    $0.addresses.hosts = hosts.compactMap(BundleHost.init)
                    $0.addresses.publicURLs = [url]
                }
            ) { endpoint async throws in
                try await body(endpoint, network, store)
            }
        }
    }

    @Test(
        "has its host admitted, and is the root of cookies for requests with that host",
        arguments: [
            ("kiosk.example", "/kiosk/m/", "/kiosk/.bundles/shop"),
            ("kiosk.example:443", "/kiosk/m/", "/kiosk/.bundles/shop"),
            // Directly, and another port, which is another site for clients.
            ("localhost", "/m/", "/.bundles/shop"), ("localhost:443", "/m/", "/.bundles/shop"),
        ]
    )
    func cookies(_ host: String, _ root: String, _ calls: String) async throws {
        try await withProxied { endpoint, network, _ async throws in
            network.response(
                "https://m.example.com/shop/login",
                .ok,
                [.setCookie: "session=1; Path=/shop/cart", .cacheControl: "no-store"],
                ""
            )
            let page = try await endpoint.get("/m/", host: host, Self.document)
            #expect(page.status == 200)
            let cookies = page.fields.filter { $0.name == "set-cookie" }.map(\.value)
            #expect(cookies.map { $0.contains("; Path=\(root);") } == [true, false])
            #expect(cookies.map { $0.contains("; Path=\(calls);") } == [false, true])
            #expect(try await endpoint.get("/m/login", host: host)["set-cookie"] == "session=1; Path=\(root)cart")
        }
    }

    @Test("admits no other host")
    func others() async throws {
        try await withProxied { endpoint, _, _ async throws in
            #expect(try await endpoint.get("/m/", host: "evil.example").status == 421)
        }
    }

    @Test("is the prefix that origins get, if they get one")
    func forwarded() async throws {
        try await withProxied("https://kiosk.example:8443/kiosk/", mounts: ["app=/m"]) {
            endpoint,
            network,
            store async throws in
            let origins = #"[{"url": "https://app.example/", "path": "/"}]"#
            try store.install(
                #"{"name": "app", "version": "1", "origins": \#(origins), "forwardedAddress": true}"#,
                ["robots.txt": "x"]
            )
            network.response("https://app.example/", .ok, [.location: "/kiosk/m/x", .cacheControl: "no-store"], "app")
            for host in [Self.host, "kiosk.example:8443"] {
                let page = try await endpoint.get("/m/", host: host, ["X-Forwarded-Host: evil.example"])
                #expect(page.text == "app")
                #expect(page["location"] == "/kiosk/m/x")
                let fields = try #require(network.requests.last?.headerFields)
                #expect(fields[HTTPField.Name("X-Forwarded-Host")!] == "kiosk.example:8443")
                #expect(fields[HTTPField.Name("X-Forwarded-Proto")!] == "https")
                #expect(fields[HTTPField.Name("X-Forwarded-Prefix")!] == "/kiosk/m")
            }
        }
    }

    @Test("names the page on the network in Referer, without the path that the proxy removes")
    func referer() async throws {
        try await withProxied { endpoint, network, _ async throws in
            network.response("https://m.example.com/shop/x", .ok, [.cacheControl: "no-store"], "")
            for (referer, sent) in [
                ("https://kiosk.example/kiosk/m/app.js", "https://m.example.com/shop/app.js"),
                ("https://kiosk.example/wiki/", nil),
            ] {
                _ = try await endpoint.get("/m/x", host: Self.host, ["Referer: \(referer)"])
                #expect(network.requests.last?.headerFields[.referer] == sent)
            }
        }
    }

    @Test("lets no redirect out of its path")
    func redirects() async throws {
        try await withProxied("http://localhost/kiosk/") { endpoint, _, _ async throws in
            #expect(try await endpoint.get("/m", host: "localhost", Self.document)["location"] == "m/")
            #expect(try await endpoint.get("/m/folder", host: "localhost", Self.document)["location"] == "folder/")
            // Browsers that have come directly are sent to the bundle's own host.
            #expect(try await endpoint.get("/shop/", host: "localhost", Self.document).status == 404)
            let direct = try await endpoint.get("/shop/", host: "localhost:\(endpoint.port)", Self.document)
            #expect(direct["location"] == "//shop.localhost:\(endpoint.port)/")
        }
    }

    @Test("is where the overview is, whose links lead below it")
    func overview() async throws {
        try await withProxied("http://localhost/kiosk/") { endpoint, _, store async throws in
            try store.install(#"{"name": "docs", "version": "1", "origins": []}"#, ["index.html": "docs"])
            let page = try await endpoint.get("/", host: "localhost", Self.document).text
            #expect(page.contains("<a href=\"./m/\">shop</a>"))
            #expect(page.contains("http://localhost/kiosk/m/"))
            #expect(!page.contains("docs.localhost"))
        }
    }

    @Test("leaves the rest of its host alone, which is the proxy's: nothing is cleared, and no worker has it")
    func clearing() async throws {
        try await withProxied(hosts: ["shop=kiosk.example"]) { endpoint, network, store async throws in
            network.response(
                "https://m.example.com/shop/x",
                .ok,
                [HTTPField.Name("Service-Worker-Allowed")!: "/", .clearSiteData: "\"storage\""],
                ""
            )
            let response = try await endpoint.get("/x", host: Self.host)
            #expect(response.status == 200)
            #expect(response["service-worker-allowed"] == nil && response["clear-site-data"] == nil)
            let name = BundleName("shop")
            // Another publisher, and nobody.
            try store.installShop("2.0.0", origin: "https://n.example.com/shop/")
            let page = try await endpoint.get("/", host: Self.host, Self.document)
            #expect(page.text.contains("<title>shop"))
            #expect(page["clear-site-data"] == nil)
            try store.remove(name, nil)
            let gone = try await endpoint.get("/", host: Self.host, Self.document)
            #expect(gone.status == 404)
            #expect(gone["clear-site-data"] == nil)
        }
    }
}
