import BundleTesting
import NIOCore
import NIOPosix
import Testing

@Suite("A port that is reserved")
struct ReservedPortTests {
    private func listen(on port: ReservedPort, at host: String = "127.0.0.1", reusing: Bool) async throws {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: reusing ? 1 : 0)
            .bind(host: host, port: port.number).get().close()
    }

    @Test(
        "is for servers that set SO_REUSEADDR, one after the other, and for no other",
        arguments: try System.enumerateDevices().compactMap { $0.address?.ipAddress }
            .filter { ["127.0.0.1", "::1"].contains($0) }
    )
    func servers(_ host: String) async throws {
        let port = try ReservedPort()
        defer { withExtendedLifetime(port) {} }
        for _ in 1...3 {
            try await listen(on: port, at: host, reusing: true)
            await #expect(throws: (any Error).self) { try await listen(on: port, at: host, reusing: false) }
        }
    }

    @Test("refuses connections while nothing listens")
    func refusal() async throws {
        let port = try ReservedPort()
        defer { withExtendedLifetime(port) {} }
        await #expect(throws: (any Error).self) {
            try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: port.number).get()
        }
    }

    @Test("is that of an origin from its first start on, also while it is stopped")
    func origin() async throws {
        let origin = OriginServer()
        try await origin.start()
        let port = origin.port
        await origin.stop()
        await #expect(throws: (any Error).self) {
            try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 0)
                .bind(host: "127.0.0.1", port: port).get()
        }
        try await origin.start()
        #expect(origin.port == port)
        await origin.stop()
    }
}
