import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleServer

@Suite("The overview of an endpoint")
struct OverviewResponderTests {
    private static let navigation = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]

    @Test("lists the bundles to browsers on this machine, with the addresses for the port in use")
    func overview() async throws {
        try await withShop { endpoint async throws in
            for host in ["127.0.0.1", "localhost"] {
                let response = try await endpoint.get("/?x", host: "\(host):\(endpoint.port)", Self.navigation)
                #expect(response.status == 200)
                #expect(response["content-type"] == "text/html; charset=utf-8")
                #expect(response["cache-control"] == "no-store")
                #expect(
                    response["content-security-policy"]?.hasPrefix("default-src 'none'; style-src 'sha256-") == true
                )
                #expect(response.text.contains("<a href=\"http://shop.localhost:\(endpoint.port)/\">shop</a>"))
            }
            let head = try await endpoint.request("HEAD / HTTP/1.1", ["Host: localhost"] + Self.navigation)
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
        }
    }

    @Test(
        "is nothing that another request gets",
        arguments: [
            ("GET", "/", "localhost", ["Accept: */*"], 404), ("GET", "/x", "localhost", navigation, 404),
            ("POST", "/", "localhost", navigation, 404), ("GET", "/", "m.example.com", navigation, 404),
            ("GET", "/", "evil.example", navigation, 421), ("GET", "/", "other.localhost", navigation, 404),
        ]
    )
    func others(_ method: String, _ path: String, _ host: String, _ fields: [String], _ status: Int) async throws {
        try await withShop { endpoint async throws in
            let response = try await endpoint.request("\(method) \(path) HTTP/1.1", ["Host: \(host)"] + fields)
            #expect(response.status == status)
            #expect(!response.text.contains("<h1>Bundles"))
        }
    }

    @Test("leaves the root to a bundle that is mounted there, and to a bundle's own host")
    func precedence() async throws {
        try await withShop {
            $0.addresses.mounts = [try #require(Mount("shop=/"))]
        } _: { endpoint async throws in
            #expect(try await endpoint.get("/", Self.navigation).text.contains("<title>shop"))
        }
        try await withShop { endpoint async throws in
            #expect(try await endpoint.get("/", host: "shop.localhost", Self.navigation).text.contains("<title>shop"))
        }
    }

    @Test("leaves the root to the origin of a bundle that is mounted there and has no page for it")
    func origin() async throws {
        try await withStore { store in
            let origins = #"[{"url": "https://m.example.com/shop/", "path": "/"}]"#
            try store.install(#"{"name": "shop", "version": "1.0.0", "origins": \#(origins)}"#, ["app.js": "run()"])
            let (network, mount) = (ScriptedTransport(), try #require(Mount("shop=/")))
            network.response("https://m.example.com/shop/", .ok, [.contentType: "text/html"], "the origin's page")
            try await withEndpoint(store, transport: network, configure: { $0.addresses.mounts = [mount] }) {
                endpoint async throws in
                #expect(try await endpoint.get("/", Self.navigation).text == "the origin's page")
            }
        }
    }

    @Test("has the icons of usual names as data, but for large ones", arguments: [(100, true), (40_000, false)])
    func icons(_ byteCount: Int, _ isShown: Bool) async throws {
        try await withStore { store in
            let icon = String(repeating: "a", count: byteCount)
            try store.install(#"{"name": "shop", "version": "1.0.0", "origins": []}"#, ["favicon.ico": icon])
            try await withEndpoint(store) { endpoint async throws in
                let text = try await endpoint.get("/", Self.navigation).text
                #expect(text.contains("data:image/vnd.microsoft.icon;base64,YWFh") == isShown)
                #expect(text.contains("class=\"letter\"") != isShown)
            }
        }
    }

    @Test("tells what there is to know of a bundle")
    func states() async throws {
        try await withStore { store in
            try await withEndpoint(store) { endpoint async throws in
                #expect(try await endpoint.get("/", Self.navigation).text.contains("None is installed yet"))
            }
            let manifest = #"{"name": "idle", "version": "1.0.0", "origins": []}"#
            try store.install(manifest, ["index.html": Array("x".utf8)], activating: false)
            try await withEndpoint(store) { endpoint async throws in
                #expect(try await endpoint.get("/", Self.navigation).text.contains("installed, not active"))
            }
        }
    }

    private func withShop(
        configure: (inout BundleEndpoint.Configuration) throws -> Void = { _ in },
        _ body: (RunningEndpoint) async throws -> Void
    ) async throws {
        try await withStore { store in
            try store.installShop()
            var configured = BundleEndpoint.Configuration()
            try configure(&configured)
            try await withEndpoint(store, configure: { $0.addresses = configured.addresses }) { try await body($0) }
        }
    }
}
