import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleServer

@Suite("The host of a request")
struct HostPolicyTests {
    @Test(
        "is served when it is the machine's own, whatever the port",
        arguments: [
            "localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:65535", "127.255.0.1", "[::1]",
            "[0:0:0:0:0:0:0:1]:80",
        ]
    )
    func own(_ host: String) async throws {
        #expect(try await status(of: host) == 200)
    }

    @Test(
        "is refused with 421 when it is any other, so that rebinding a name to this machine reads nothing",
        arguments: [
            "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "notlocalhost",
            "128.0.0.1", "0.0.0.0", "192.168.1.5", "127.1", "2130706433", "0x7f000001", "[::2]", "[::]",
            "[::ffff:192.168.1.5]", "example.com", "sub.m.example.com",
        ]
    )
    func foreign(_ host: String) async throws {
        try await withShop { endpoint in
            let response = try await endpoint.get("/shop/app.js", host: host)
            #expect(response.status == 421)
            #expect(response.text.contains("its operator can allow it"))
            #expect(response["cache-status"] == #"offline-bundles; detail="host""#)
            #expect(!response.text.contains("run()"))
        }
    }

    @Test("isn't refused when a bundle has an origin there, on any port, until the bundle is removed")
    func mapped() async throws {
        try await withStore { store in
            try store.installShop()
            try await withEndpoint(store) { endpoint async throws in
                #expect(try await endpoint.get("/shop/app.js", host: "m.example.com").status == 200)
                #expect(try await endpoint.get("/shop/app.js", host: "m.example.com:8080").status == 404)
            }
            _ = try store.remove(BundleName("shop"), nil)
            try await withEndpoint(store) { endpoint async throws in
                #expect(try await endpoint.get("/shop/app.js", host: "m.example.com:8080").status == 421)
                // The bundle's service worker is removed; with a 421 it would stay.
                let fields = ["Service-Worker: script"]
                let worker = try await endpoint.get("/shop/sw.js", host: "m.example.com", fields)
                #expect(worker.status == 200)
                #expect(worker.text.contains("unregister"))
            }
        }
    }

    @Test(
        "is served when it is allowed",
        arguments: [
            ("kiosk.example", "KIOSK.example:1234", 200), ("kiosk.example", "other.example", 421),
            ("192.168.1.5", "192.168.1.5:8080", 200), ("[fe80::1]", "[fe80::1]:8080", 200), ("*", "evil.example", 200),
        ]
    )
    func allowed(_ allowed: String, _ host: String, _ status: Int) async throws {
        let (allowed, mount) = (try #require(AllowedHost(allowed)), try #require(Mount("shop=/shop")))
        let found = try await self.status(of: host) {
            $0.allowedHosts = [allowed]
            $0.addresses.mounts = [mount]
        }
        #expect(found == status)
    }

    @Test(
        "is served when it is the one that the endpoint listens on, as the user named it",
        arguments: [
            ("192.168.1.5", "192.168.1.5:8080", true), ("192.168.1.5", "192.168.1.6:8080", false),
            ("Kiosk.local", "kiosk.LOCAL:80", true), ("fe80::A", "[fe80::a]:8080", true),
            ("fe80::a", "[fe80::b]", false),
        ]
    )
    func listening(_ listening: String, _ host: String, _ isAdmitted: Bool) async throws {
        try await withStore { store in
            let policy = HostPolicy(
                resolver: LiveResolver(store),
                scheme: "http",
                listening: .tcp(host: listening, port: 8080),
                allowed: []
            )
            let request = HTTPRequest(method: .get, scheme: nil, authority: host, path: "/shop/")
            #expect((policy.admitted(request, at: 8080) != nil) == isAdmitted)
        }
    }

    @Test("isn't taken from Host when the target names it")
    func absoluteForm() async throws {
        try await withShop { endpoint async throws in
            func status(of url: String, host: String) async throws -> Int {
                try await endpoint.request("GET \(url) HTTP/1.1", ["Host: \(host)"]).status
            }
            #expect(try await status(of: "http://evil.example/shop/app.js", host: "localhost") == 421)
            let own = "http://localhost:\(endpoint.port)/shop/app.js"
            #expect(try await status(of: own, host: "evil.example") == 200)
            #expect(try await status(of: "http://localhost:1/shop/app.js", host: "localhost") == 404)
        }
    }

    @Test("is refused for every method, HEAD without a body", arguments: ["HEAD", "OPTIONS", "POST"])
    func methods(_ method: String) async throws {
        try await withShop { endpoint in
            let response = try await endpoint.request("\(method) /shop/app.js HTTP/1.1", ["Host: evil.example"])
            #expect(response.status == 421)
            #expect(response.text.isEmpty == (method == "HEAD"))
        }
    }

    @Test(
        "that may be allowed has no port and no path",
        arguments: ["", "a:80", "a/b", "a b", "u@a", "fe80::1", "*.a", "a?"]
    )
    func malformed(_ text: String) {
        #expect(AllowedHost(text) == nil)
    }

    private func status(
        of host: String,
        configure: (inout BundleEndpoint.Configuration) -> Void = { _ in }
    ) async throws -> Int {
        var status = 0
        try await withShop(configure: configure) { status = try await $0.get("/shop/app.js", host: host).status }
        return status
    }

    private func withShop(
        configure: (inout BundleEndpoint.Configuration) -> Void = { _ in },
        _ body: (RunningEndpoint) async throws -> Void
    ) async throws {
        try await withStore { store in
            try store.installShop()
            try await withEndpoint(store, configure: configure) { try await body($0) }
        }
    }
}
