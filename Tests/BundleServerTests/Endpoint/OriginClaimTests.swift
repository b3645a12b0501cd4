import BundleServing
import BundleStore
import BundleTesting
import Testing

@testable import BundleServer

/// A manifest's origins take nothing from other bundles, nor from the operator.
@Suite("An origin that a manifest claims")
struct OriginClaimTests {
    private static let navigation = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]

    @Test("serves the bundle nowhere else on that host", arguments: [navigation, []])
    func otherPort(_ fields: [String]) async throws {
        try await withClaim(of: "http://m.example.com:9/") { endpoint async throws in
            #expect(try await endpoint.get("/shop/", host: "m.example.com", fields).text == "shop")
            let page = try await endpoint.get("/evil/", host: "m.example.com", fields)
            #expect(page.status == 404)
            #expect(page.text.contains("operator can give it a host"))
            #expect(try await endpoint.get("/", host: "m.example.com:9", fields).text == "evil")
        }
    }

    @Test(
        "comes after a mount on a host that is the endpoint's own",
        arguments: [("/", "http://kiosk.example/"), ("/m/", "http://kiosk.example/m/")]
    )
    func allowedHost(_ path: String, _ origin: String) async throws {
        let mount = try #require(Mount("shop=\(path)"))
        try await withClaim(of: origin) {
            $0.allowedHosts = [.named("kiosk.example")]
            $0.addresses.mounts = [mount]
        } _: { endpoint async throws in
            #expect(try await endpoint.get(path, host: "kiosk.example", Self.navigation).text == "shop")
            // With cookies and workers, because no other bundle has pages there.
            let worker = try await endpoint.get(path + "sw.js", host: "kiosk.example", ["Service-Worker: script"])
            #expect(worker.text == "shop()")
        }
    }

    @Test("opens no page beside another bundle's mount on a host that is the endpoint's own")
    func besideMount() async throws {
        let mount = try #require(Mount("shop=/m"))
        try await withClaim(of: "http://kiosk.example/") {
            $0.allowedHosts = [.named("kiosk.example")]
            $0.addresses.mounts = [mount]
        } _: { endpoint async throws in
            let page = try await endpoint.get("/", host: "kiosk.example", Self.navigation)
            #expect(page.status == 404)
            #expect(page.text.contains("operator can give it a host"))
            #expect(try await endpoint.get("/m/", host: "kiosk.example", Self.navigation).text == "shop")
        }
    }

    @Test("isn't reached by an absolute URL on a host that is another bundle's")
    func absoluteURL() async throws {
        let host = try #require(BundleHost("shop=shop.example"))
        for own in ["shop.localhost", "shop.example"] {
            try await withClaim(of: "http://\(own)/") {
                $0.addresses.hosts = [host]
            } _: { endpoint async throws in
                let page = try await endpoint.request("GET http://\(own)/ HTTP/1.1", ["Host: \(own)"] + Self.navigation)
                #expect(page.text == "shop")
            }
        }
    }

    /// Serves `shop`, and `evil`, which claims another's origin.
    private func withClaim(
        of origin: String,
        configure: (inout BundleEndpoint.Configuration) -> Void = { _ in },
        _ body: (RunningEndpoint) async throws -> Void
    ) async throws {
        try await withStore { store in
            for (name, origin) in [("shop", "https://m.example.com/shop/"), ("evil", origin)] {
                try store.install(
                    #"{"name": "\#(name)", "version": "1", "origins": [{"url": "\#(origin)", "path": "/"}]}"#,
                    ["index.html": name, "sw.js": "\(name)()"]
                )
            }
            try await withEndpoint(store, configure: configure) { try await body($0) }
        }
    }
}
