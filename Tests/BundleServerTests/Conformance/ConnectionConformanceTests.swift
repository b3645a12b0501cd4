import BundleTesting
import Testing

@testable import BundleServer

/// What metrics tell of connections, and what becomes of one too many.
@Suite("Connections, on every driver", .timeLimit(.minutes(5)))
struct ConnectionConformanceTests {
    private static let drivers = ConformanceDriver.allCases.filter { $0 != .responder }
    private static let digits = ConformanceRequest("GET", "/shop/digits.bin")
    private static let live = ConformanceRequest("GET", "/shop/live.txt")

    @Test("one is counted once, whatever is asked on it, until it is closed", arguments: drivers)
    func counted(_ driver: ConformanceDriver) async throws {
        try await withServer(driver) { server in
            for request in [Self.digits, Self.live, Self.digits, Self.live] {
                _ = try await server.exchanges(of: request, count: 1)
                #expect(server.metric("bundlectl_http_connections") == 1)
            }
            #expect(server.metric("bundlectl_http_connections_accepted_total") == 1)
            #expect(server.metric("bundlectl_http_connections_refused_total") == 0)
            await server.closeConnection()
            try await eventually { server.metric("bundlectl_http_connections") == 0 }
        }
    }

    @Test("one too many is closed, and told 503 by a loop, and counted as refused alone", arguments: drivers)
    func refused(_ driver: ConformanceDriver) async throws {
        try await withServer(driver) {
            $0.limits.connections = 1
        } _: { server in
            _ = try await server.exchanges(of: Self.digits, count: 1)
            let text = try await withRawConnection(to: server.port) { connection in
                String(decoding: (try? await connection.rest()) ?? [], as: UTF8.self)
            }
            // Over TLS nothing can be said before the handshake.
            let isTold = driver == .loop || driver == .http2
            #expect(text.hasPrefix(isTold ? "HTTP/1.1 503 " : ""))
            #expect(text.isEmpty != isTold)
            #expect(text.contains("Retry-After: 1\r\n") == isTold)
            let exchange = try await server.exchanges(of: Self.digits, count: 1)[0]
            // The next record is that of the next request.
            #expect(exchange.record?.debugLine == "GET /shop/digits.bin 200")
            #expect(server.metric("bundlectl_http_connections_accepted_total") == 1)
            #expect(server.metric("bundlectl_http_connections_refused_total") == 1)
        }
    }

    private func withServer(
        _ driver: ConformanceDriver,
        configure: ConformanceServer.Configure = { _ in },
        _ body: (ConformanceServer) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { folder in
            let server = try await ConformanceServers.start(driver, .json, in: folder, configure)
            try await withCleanup {
                try await body(server)
            } cleanUp: {
                await server.stop()
            }
        }
    }
}
