import BundleServing
import NIOCore
import Testing

@testable import ServerCore

@Suite("The number of connections")
struct AddressLimiterTests {
    @Test("is limited, and a released permit is free again")
    func all() {
        let limiter = limiter(connections: 2, perAddress: 2)
        var first = limiter.acquire(for: nil)
        let second = limiter.acquire(for: nil)
        #expect(limiter.acquire(for: nil) == nil)
        #expect(limiter.acquire(for: nil) == nil)
        first = nil
        #expect(first == nil)
        #expect(limiter.acquire(for: nil) != nil)
        #expect(second != nil)
    }

    @Test("from one address has a limit of its own")
    func byAddress() throws {
        let limiter = limiter(connections: 9, perAddress: 1)
        let one = try #require(address("192.0.2.1"))
        var permits = [limiter.acquire(for: one)]
        #expect(limiter.acquire(for: one) == nil)
        let other = try #require(address("192.0.2.2"))
        permits.append(limiter.acquire(for: other))
        #expect(permits.allSatisfy { $0 != nil })
        // A Unix socket's clients have no address.
        #expect(limiter.acquire(for: nil) != nil)
        permits = []
        #expect(limiter.acquire(for: one) != nil)
    }

    @Test(
        "counts the IPv6 addresses of one site as one",
        arguments: [
            ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
            ("2001:db8::1", "2001:db8::2", true), ("2001:db8::1", "2001:db8:0:1::1", false),
            ("::ffff:192.0.2.1", "192.0.2.1", true), ("::1", "127.0.0.1", false),
        ]
    )
    func addresses(_ left: String, _ right: String, _ areOne: Bool) throws {
        #expect((try #require(address(left)) == (try #require(address(right)))) == areOne)
    }

    private func limiter(connections: Int, perAddress: Int) -> AddressLimiter {
        var limits = ServerLimits()
        (limits.connections, limits.connectionsPerAddress) = (connections, perAddress)
        return AddressLimiter.connections(limits, metrics: nil)
    }

    private func address(_ text: String) -> PeerAddress? {
        try? SocketAddress(ipAddress: text, port: 0).withSockAddr { address, _ in PeerAddress(address) }
    }
}
