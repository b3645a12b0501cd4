import BundleNetwork
import BundleStore
import BundleTesting
import HTTPTypes
import ServiceLifecycle
import Testing

@testable import BundleServer

@Suite("Shutting the endpoint down")
struct EndpointShutdownTests {
    @Test("an answer that is being read slowly is finished to its last byte, and then the connection ends")
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

    @Test("a request that waits for its origin is answered, and the answer says that the connection ends")
    func waitingRequest() async throws {
        let origin = GatedOrigin()
        try await withStore { store in
            try store.installShop()
            try await withEndpoint(store, transport: origin) { endpoint in
                try await withRawConnection(to: endpoint.port) { idle in
                    #expect(try await idle.get("/shop/app.js").status == 200)
                    try await withRawConnection(to: endpoint.port) { connection in
                        try await connection.send("GET /shop/slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        try await origin.gate.waitForArrivals()
                        await endpoint.group.triggerGracefulShutdown()
                        // The idle connection's end shows that the shutdown has begun.
                        #expect(try await idle.rest().isEmpty)
                        origin.gate.open()
                        let response = try await connection.response()
                        #expect(response.text == "late")
                        #expect(response["connection"] == "close")
                        #expect(try await connection.rest().isEmpty)
                    }
                }
            }
        }
    }

    @Test("a client that reads nothing can't hold the shutdown up for longer than the limit")
    func stuckClient() async throws {
        try await withStore { store in
            try store.installBig([UInt8](repeating: 1, count: 12 << 20), "1.0.0")
            var connectionEnd: Task<Void, any Error>?
            let isStuck = Gate()
            let release = Gate()
            try await withEndpoint(store, configure: { $0.drainLimit = .milliseconds(50) }) { endpoint in
                connectionEnd = Task {
                    try await withRawConnection(to: endpoint.port) { connection in
                        try await connection.send("GET /big/big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        _ = try await connection.head()
                        isStuck.open()
                        try await release.pass()
                    }
                }
                try await isStuck.pass()
            }
            release.open()
            try await connectionEnd?.value
        }
    }

    @Test("a silent connection is closed after the idle time")
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
