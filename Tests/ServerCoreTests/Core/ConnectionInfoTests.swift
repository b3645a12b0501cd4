import BundleServing
import NIOCore
import Testing

@testable import ServerCore

@Suite("What a connection says about its client")
struct ConnectionInfoTests {
    @Test(
        "a client is on this machine if either address is a loopback one, or both are the same",
        arguments: [
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.8.9.10", true), ("::1", "::1", true),
            ("::ffff:127.0.0.1", "::ffff:127.0.0.1", true), ("127.0.0.1", "192.0.2.7", true),
            ("192.0.2.1", "192.0.2.1", true), ("2001:db8::1", "2001:db8::1", true),
            ("::ffff:192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false), ("2001:db8::1", "2001:db8::2", false), ("10.0.0.1", "10.0.0.127", false),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false), ("fe80::1", "fe80::2", false),
            ("2001:db8::1", "2001:db8::127.0.0.1", false), ("192.0.2.127", "128.0.0.1", false),
        ]
    )
    func addresses(_ local: String, _ peer: String, _ isLocal: Bool) throws {
        let info = ConnectionInfo(
            local: try SocketAddress(ipAddress: local, port: 80),
            peer: try SocketAddress(ipAddress: peer, port: 50_000)
        )
        #expect(info == ConnectionInfo(port: 80, isLocal: isLocal))
    }

    @Test("a client of a Unix socket is on this machine, and there is no port")
    func unix() throws {
        let local = try SocketAddress(unixDomainSocketPath: "/run/a.sock")
        #expect(ConnectionInfo(local: local, peer: nil) == ConnectionInfo(port: nil, isLocal: true))
        #expect(ConnectionInfo(local: local, peer: local) == ConnectionInfo(port: nil, isLocal: true))
    }

    @Test("a client that is gone isn't taken for one on this machine")
    func gone() throws {
        let local = try SocketAddress(ipAddress: "192.0.2.1", port: 80)
        #expect(ConnectionInfo(local: local, peer: nil) == ConnectionInfo(port: 80, isLocal: false))
    }
}
