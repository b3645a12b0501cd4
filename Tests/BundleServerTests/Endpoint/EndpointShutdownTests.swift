import BundleNetwork
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

@testable import BundleServer

@Suite("Shutting the endpoint down")
struct EndpointShutdownTests {
    @Test("a response that is read slowly is completed, and then the connection ends")
    func answerUnderWay() async throws {
        let size = 12 << 20
        try await withStore { store in
            try store.installBig([UInt8](repeating: 1, count: size), "1.0.0")
            try await withEndpoint(store) { endpoint in
                try await withRawConnection(to: endpoint.port) { connection in
                    try await connection.send("GET /big/big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    #expect(try await connection.head().status == 200)
                    await endpoint.group.triggerGracefulShutdown()
                    #expect(try await connection.bytes(size).allSatisfy { $0 == 1 })
                    #expect(try await connection.rest().isEmpty)
                }
            }
        }
    }

    @Test("a request that waits for its origin gets a response, which says that the connection ends")
    func waitingRequest() async throws {
        let origin = LatchedOrigin()
        try await withStore { store in
            try store.installShop()
            try await withEndpoint(store, transport: origin) { endpoint in
                try await withRawConnection(to: endpoint.port) { idle in
                    #expect(try await idle.get("/shop/app.js").status == 200)
                    try await withRawConnection(to: endpoint.port) { connection in
                        try await connection.send("GET /shop/slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        try await origin.latch.waitForArrivals()
                        await endpoint.group.triggerGracefulShutdown()
                        // The idle connection's end shows that the shutdown has begun.
                        #expect(try await idle.rest().isEmpty)
                        origin.latch.open()
                        let response = try await connection.response()
                        #expect(response.text == "late")
                        #expect(response["connection"] == "close")
                        #expect(try await connection.rest().isEmpty)
                    }
                }
            }
        }
    }

    @Test("while a response is read slowly, new clients are refused, and a successor can listen on the port")
    func successor() async throws {
        let size = 12 << 20
        try await withStore { store in
            try store.installBig([UInt8](repeating: 1, count: size), "1.0.0")
            try await withEndpoint(store, configure: { $0.drainLimit = .seconds(300) }) { endpoint in
                try await withRawConnection(to: endpoint.port) { connection in
                    try await connection.send("GET /big/big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    #expect(try await connection.head().status == 200)
                    await endpoint.group.triggerGracefulShutdown()
                    let address = try SocketAddress(ipAddress: "127.0.0.1", port: endpoint.port)
                    #expect(try await Self.isRefused(address))
                    try await withEndpoint(
                        store,
                        configure: { $0.address = .tcp(host: "127.0.0.1", port: endpoint.port) }
                    ) {
                        successor async throws in
                        #expect(try await successor.get("/healthz").status == 200)
                    }
                    #expect(try await connection.bytes(size).allSatisfy { $0 == 1 })
                    #expect(try await connection.rest().isEmpty)
                }
            }
        }
    }

    @Test("the file of a Unix socket is removed when the shutdown begins, and a successor's is kept")
    func unixSocket() async throws {
        let size = 12 << 20
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "a.sock")
            let address = try SocketAddress(unixDomainSocketPath: path)
            let store = try BundleStore(at: folder.path(of: "store"), creating: true)
            try store.installBig([UInt8](repeating: 1, count: size), "1.0.0")
            var successor: ListeningSocket?
            try await withEndpoint(
                store,
                configure: { configuration in
                    configuration.address = .unix(path: path)
                    configuration.drainLimit = .seconds(300)
                }
            ) { endpoint in
                try await withRawConnection(to: address) { connection in
                    try await connection.send("GET /big/big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    #expect(try await connection.head().status == 200)
                    await endpoint.group.triggerGracefulShutdown()
                    #expect(try await Self.isRefused(address))
                    #expect(!FileManager.default.fileExists(atPath: path))
                    successor = try ListeningSocket.open(.unix(path: path)).first
                    #expect(try await connection.bytes(size).allSatisfy { $0 == 1 })
                }
            }
            #expect(successor != nil)
            #expect(FileManager.default.fileExists(atPath: path))
            successor?.close()
        }
    }

    @Test("over TLS the listening sockets are closed as well when the shutdown begins")
    func channels() async throws {
        let origin = LatchedOrigin()
        try await withTemporaryDirectory { folder in
            let certificate = try TestCertificate.make("drain", in: folder)
            let store = try BundleStore(at: folder.path(of: "store"), creating: true)
            try store.installShop()
            try await withEndpoint(
                store,
                transport: origin,
                configure: { $0.tls = TLSFiles(certificate: certificate.certificate, key: certificate.key) }
            ) { endpoint in
                try await withRawConnection(to: endpoint.port, offering: "http/1.1") { connection in
                    try await connection.send("GET /shop/slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    try await origin.latch.waitForArrivals()
                    await endpoint.group.triggerGracefulShutdown()
                    let address = try SocketAddress(ipAddress: "127.0.0.1", port: endpoint.port)
                    #expect(try await Self.isRefused(address))
                    try ListeningSocket.open(.tcp(host: "127.0.0.1", port: endpoint.port)).first?.close()
                    origin.latch.open()
                    #expect(try await connection.response().text == "late")
                }
            }
        }
    }

    /// Connects repeatedly until that is refused. Returns whether it is, in time.
    private static func isRefused(_ address: SocketAddress) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            do {
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(to: address).get()
                    .close()
            } catch let error as IOError where [ECONNREFUSED, ENOENT].contains(error.errnoCode) {
                return true
            } catch {
                // It was still accepted, and is closed.
            }
        }
        return false
    }

    @Test("a client that reads nothing can't delay the shutdown beyond the limit")
    func stuckClient() async throws {
        try await withStore { store in
            // More than the system keeps for a connection.
            try store.installBig([UInt8](repeating: 1, count: 64 << 20), "1.0.0")
            let log = RecordedLog()
            var connectionEnd: Task<Void, any Error>?
            let isStuck = Latch()
            let release = Latch()
            try await withEndpoint(store, log: log, configure: { $0.drainLimit = .milliseconds(50) }) { endpoint in
                connectionEnd = Task {
                    try await withRawConnection(to: endpoint.port) { connection in
                        try await connection.send("GET /big/big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        _ = try await connection.head()
                        isStuck.open()
                        try await release.wait()
                    }
                }
                try await isStuck.wait()
            }
            release.open()
            try await connectionEnd?.value
            let notice = "notice: 1 connection with requests under way cut: they took more than 0.05 seconds to finish"
            #expect(log.lines.filter { $0.hasPrefix("notice: ") } == [notice])
        }
    }

    @Test("an idle connection is closed after the idle time")
    func idle() async throws {
        try await withStore { store in
            try await withEndpoint(store, configure: { $0.limits.idle = .milliseconds(20) }) { endpoint in
                try await withRawConnection(to: endpoint.port) { connection async throws in
                    #expect(try await connection.rest().isEmpty)
                }
            }
        }
    }
}
