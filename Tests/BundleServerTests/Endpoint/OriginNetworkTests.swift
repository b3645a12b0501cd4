import BundleInstall
import BundleNetwork
import BundleStore
import BundleTar
import BundleTesting
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

@testable import BundleServer
@testable import BundleTransport
@testable import BundleUpdate
@testable import HTTPCore

@Suite("The network that a transport connects to")
struct OriginNetworkTests {
    private static func tcp(_ host: String) -> ListenAddress { .tcp(host: host, port: 8080) }

    private func denial(_ network: OriginNetwork, _ address: String, _ port: Int = 80) throws -> OriginDenial? {
        network.denial(of: try #require(NetworkAddress(address)), port: port)
    }

    @Test(
        "includes the machine and its network, when the endpoint is reachable from the machine only",
        arguments: [
            ([tcp("127.0.0.1")], true), ([tcp("127.0.0.1"), tcp("::1")], true), ([.unix(path: "/run/a.sock")], true),
            ([tcp("0.0.0.0")], false), ([tcp("::")], false), ([tcp("192.168.1.5")], false), ([tcp("10.0.0.1")], false),
            ([tcp("127.0.0.1"), tcp("10.0.0.1")], false), ([.inherited(name: nil)], false),
        ] as [([ListenAddress], Bool)]
    )
    func reach(addresses: [ListenAddress], isLocal: Bool) throws {
        let network = OriginNetwork(OriginAddressPolicy(allowing: []))
        #expect(try denial(network, "127.0.0.1") != nil)
        network.serve(at: addresses, operators: [])
        for address in ["127.0.0.1", "10.1.1.1", "fd00::1"] {
            #expect(try (denial(network, address) == nil) == isLocal, "\(address)")
        }
        #expect(try denial(network, "1.1.1.1") == nil)
        #expect(try denial(network, "169.254.169.254") != nil)
    }

    @Test(
        "excludes the machine, when the endpoint serves a host elsewhere, as behind a reverse proxy",
        arguments: [
            ([], true), ([.named("localhost")], true), ([.named("shop.localhost"), .named("[::1]")], true),
            ([.named("kiosk.example")], false), ([.named("localhost"), .named("shop.example")], false), ([.any], false),
            ([.named("192.168.1.5")], false),
        ] as [(Set<AllowedHost>, Bool)]
    )
    func proxied(hosts: Set<AllowedHost>, isLocal: Bool) throws {
        for address in [Self.tcp("127.0.0.1"), .unix(path: "/run/a.sock")] {
            let network = OriginNetwork(OriginAddressPolicy(allowing: []))
            network.serve(at: [address], operators: [], hosts: hosts)
            #expect(try (denial(network, "10.1.1.1") == nil) == isLocal)
            #expect(try (denial(network, "127.0.0.1") == nil) == isLocal)
        }
    }

    @Test("is the one that the operator allows, for an endpoint that others can reach")
    func allowed() throws {
        let network = OriginNetwork(OriginAddressPolicy(allowing: [.loopback]))
        network.serve(at: [Self.tcp("0.0.0.0")], operators: [])
        #expect(try denial(network, "127.0.0.1") == nil)
        #expect(try denial(network, "10.1.1.1") != nil)
    }

    @Test(
        "never includes the process's own listeners, under any of the machine's addresses",
        arguments: [
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "::ffff:127.0.0.1", true),
            ("127.0.0.1", "127.0.0.2", false),
            ("0.0.0.0", "127.0.0.1", true), ("0.0.0.0", "127.9.9.9", true), ("::", "::1", true),
            ("::", "127.0.0.1", true),
            ("0.0.0.0", "1.1.1.1", false), ("::1", "127.0.0.1", false), ("0.0.0.0", "0.0.0.0", true),
        ]
    )
    func ownListener(listening: String, address: String, isOwn: Bool) throws {
        for isOperators in [true, false] {
            let network = OriginNetwork(OriginAddressPolicy(allowing: [.loopback]))
            let (own, other) = (Self.tcp(listening), ListenAddress.tcp(host: "127.0.0.1", port: 1))
            network.serve(at: [isOperators ? other : own], operators: isOperators ? [own] : [])
            let found = try denial(network, address, 8080)
            #expect((found == OriginDenial(.ownListener(try #require(NetworkAddress(address)), port: 8080))) == isOwn)
            #expect(try denial(network, "127.0.0.3", 8081) == nil)
        }
    }

    @Test(
        "includes nothing on the machine when that isn't allowed, however the address is written",
        arguments: [
            "127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "127.1", "2130706433", "0x7f000001", "0.0.0.0",
            "[::]",
            "169.254.169.254", "[fe80::1]", "[64:ff9b::7f00:1]",
        ]
    )
    func denied(host: String) async throws {
        try await withTransport { origin, transport in
            let request = HTTPRequest(method: .get, scheme: "http", authority: "\(host):\(origin.port)", path: "/")
            let error = await #expect(throws: BundleError.self) { try await transport.send(request) }
            #expect(error?.code == .networkUnavailable)
            #expect(error?.cause is OriginDenial, "\(error?.message ?? "")")
            #expect(error?.message.contains("was not connected to: ") == true)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test("reports a name without an address")
    func unknownName() async throws {
        try await withTransport { _, transport in
            let request = HTTPRequest(method: .get, scheme: "http", authority: "nowhere.invalid", path: "/")
            let error = await #expect(throws: BundleError.self) { try await transport.send(request) }
            #expect(error?.message.contains("the name has no address") == true, "\(error?.message ?? "")")
        }
    }

    @Test("applies to feeds and their redirects", arguments: ["feed", "redirect"])
    func feeds(kind: String) async throws {
        try await withTransport(allowing: kind == "feed" ? [] : [.loopback]) { origin, transport in
            try await withStore { store in
                origin.route(
                    "/feed.json",
                    to: ScriptedResponse(
                        status: .found,
                        fields: [.location: "http://169.254.169.254/latest/meta-data/"]
                    )
                )
                try store.installShop(feed: "http://127.0.0.1:\(origin.port)/feed.json")
                let updater = Updater(
                    store,
                    installer: Installer(store, formats: .zipAndTar),
                    transport: transport
                )
                let name = BundleName("shop")
                let error = await #expect(throws: BundleError.self) { try await updater.update(name) }
                #expect(error?.code == .networkUnavailable)
                #expect(error?.cause is OriginDenial, "\(error?.message ?? "")")
                #expect(origin.requests.count == (kind == "feed" ? 0 : 1))
            }
        }
    }

    private func withTransport(
        allowing scopes: Set<NetworkScope> = [],
        _ body: (OriginServer, NIOTransport) async throws -> Void
    ) async throws {
        let network = OriginNetwork(OriginAddressPolicy(allowing: scopes))
        network.serve(at: [Self.tcp("0.0.0.0")], operators: [])
        try await BundleTesting.withTransport(NIOTransport(network: network)) { transport in
            try await withOriginServer { origin in try await body(origin, transport) }
        }
    }
}
