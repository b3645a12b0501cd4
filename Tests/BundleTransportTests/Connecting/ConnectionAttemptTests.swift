import BundleTesting
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

@testable import BundleTransport

@Suite("An attempt to connect")
struct ConnectionAttemptTests {
    /// How an attempt comes to nothing.
    enum Failing: CaseIterable, Sendable {
        case refused, late, cancelled, cancelledBeforeStart
    }

    /// An attempt and its connections, which it doesn't keep.
    private final class Remains: Sendable {
        private struct Reference<Object: AnyObject & Sendable>: Sendable {
            weak var object: Object?
        }

        private let attempt = Monitor(Reference<ConnectionAttempt>())
        private let connections = Monitor<[Reference<ClientConnection>]>([])

        /// The number of connections that were made.
        var madeCount: Int { connections.state.count }

        private var isEmpty: Bool {
            attempt.state.object == nil && connections.state.allSatisfy { $0.object == nil }
        }

        func note(_ noted: ConnectionAttempt) { attempt.update { $0.object = noted } }
        func note(_ connection: ClientConnection) { connections.update { $0.append(Reference(object: connection)) } }

        /// Lets the event loop do what it has begun, and returns whether nothing remains.
        func vanish(from loop: any EventLoop) async throws -> Bool {
            for _ in 0..<1_000 where !isEmpty { try await loop.submit {}.get() }
            return isEmpty
        }
    }

    private static let loop = MultiThreadedEventLoopGroup.singleton.any()

    /// - Parameter nextAddress: When the next address is tried, unless one fails before.
    private static func attempt(
        _ addresses: [SocketAddress],
        nextAddress: Duration,
        _ remains: Remains
    ) throws -> ConnectionAttempt {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "shop.example", path: "/")
        let key = try ConnectionKey(AbsoluteURL(of: request), nil)
        var limits = TransportLimits()
        limits.nextAddress = nextAddress
        let pool = ConnectionPool(limits)
        let attempt = ConnectionAttempt(addresses, on: loop, limits: limits) {
            let connection = ClientConnection(key, on: loop, in: pool, tls: nil, policyNumber: 0)
            remains.note(connection)
            return connection
        }
        remains.note(attempt)
        return attempt
    }

    private static func fail(_ kind: Failing, _ addresses: [SocketAddress], _ remains: Remains) async throws {
        let attempt = try attempt(addresses, nextAddress: .seconds(600), remains)
        if kind == .cancelledBeforeStart { attempt.cancel() }
        let connection = attempt.start(within: kind == .late ? .milliseconds(20) : .seconds(600))
        if kind == .cancelled { attempt.cancel() }
        await #expect(throws: (any Error).self) { try await connection.get() }
    }

    private static func succeed(_ addresses: [SocketAddress], _ remains: Remains) async throws {
        let attempt = try attempt(addresses, nextAddress: .milliseconds(10), remains)
        let connection = try await attempt.start(within: .seconds(600)).get()
        connection.closeNow()
    }

    @Test("that comes to nothing leaves nothing behind", arguments: zip(Failing.allCases, [3, 2, 2, 0]))
    func failure(_ kind: Failing, count: Int) async throws {
        try await withDeafAddress(port: 0) { deaf in
            let port = try #require(deaf.split(separator: ":").last.flatMap { Int($0) })
            // Nothing listens at 127.0.0.9, and a connection to the broadcast address fails at once.
            let host = kind == .refused ? "127.0.0.9" : "127.0.0.7"
            let addresses = try ["255.255.255.255", host, host].map { try SocketAddress(ipAddress: $0, port: port) }
            let remains = Remains()
            try await Self.fail(kind, addresses, remains)
            #expect(remains.madeCount == count)
            let hasVanished = try await remains.vanish(from: Self.loop)
            #expect(hasVanished)
        }
    }

    @Test("leaves nothing behind of it and of the addresses that failed or were too slow")
    func success() async throws {
        try await withTalkingOrigin { _ in
        } _: { origin in
            try await withDeafAddress(port: origin.port) { deaf in
                let addresses = try ["127.0.0.9", deaf, "127.0.0.1"].map {
                    try SocketAddress(ipAddress: $0, port: origin.port)
                }
                let remains = Remains()
                try await Self.succeed(addresses, remains)
                #expect(remains.madeCount == 3)
                let hasVanished = try await remains.vanish(from: Self.loop)
                #expect(hasVanished)
            }
        }
    }
}
