import BundleServing
import BundleTesting
import NIOCore
import Testing

@testable import ServerCore

@Suite("A tunnel over HTTP/1")
struct HTTP1TunnelTests {
    private static let request = "GET /tunnel HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n"

    @Test(
        "carries bytes both ways until both sides have ended, and is recorded once",
        .timeLimit(.minutes(5)),
        arguments: [false, true]
    )
    func bothWays(_ isOriginFirst: Bool) async throws {
        try await BareServer.run { server in
            server.responder.latch.open()
            try await withRawConnection(to: server.port) { connection in
                // What follows immediately belongs to the other protocol.
                try await connection.send(Self.request + "first")
                let head = try await connection.head()
                #expect(head.status == 101)
                #expect(head["upgrade"] == "echo")
                #expect(head["connection"] == "upgrade")
                #expect(head["transfer-encoding"] == nil && head["content-length"] == nil)
                for text in ["abc", "GET / HTTP/1.1\r\n\r\n"] {
                    server.responder.fromOrigin.yield(Array(text.utf8))
                    #expect(try await connection.bytes(text.utf8.count) == Array(text.utf8))
                    try await connection.send(text)
                }
                #expect(server.records.all.isEmpty)
                if isOriginFirst {
                    // Of a connection that has ended, this client drops what it hasn't sent yet.
                    try await server.responder.monitor.wait(while: { $0.tunnelled.count < 26 })
                    server.responder.fromOrigin.finish()
                    #expect(try await connection.rest().isEmpty)
                } else {
                    connection.finish()
                    try await server.responder.monitor.wait(while: { !$0.hasTunnelEnded })
                    server.responder.fromOrigin.yield(Array("more".utf8))
                    #expect(try await connection.bytes(4) == Array("more".utf8))
                    server.responder.fromOrigin.finish()
                    #expect(try await connection.rest().isEmpty)
                }
            }
            try await server.responder.monitor.wait(while: { !$0.hasTunnelEnded })
            let tunnelled = String(decoding: server.responder.monitor.state.tunnelled, as: UTF8.self)
            #expect(tunnelled == "firstabcGET / HTTP/1.1\r\n\r\n")
            #expect(try await server.records.wait(for: "/tunnel 101 \(isOriginFirst ? 21 : 25)").count == 1)
        }
    }

    @Test(
        "carries what a client sends together with its end, after the origin's",
        .timeLimit(.minutes(5)),
        arguments: 0..<20
    )
    func lastBytes(_: Int) async throws {
        try await BareServer.run { server in
            server.responder.latch.open()
            let client = try SilentClient(port: server.port)
            try client.send(Self.request + "first")
            try await server.responder.monitor.wait(while: { $0.tunnelled.count < 5 })
            server.responder.fromOrigin.finish()
            #expect(await client.hasReceivedEnd)
            try client.send("last")
            client.finish()
            try await server.responder.monitor.wait(while: { !$0.hasTunnelEnded })
            #expect(String(decoding: server.responder.monitor.state.tunnelled, as: UTF8.self) == "firstlast")
        }
    }

    @Test("isn't opened for a client that hasn't asked for one", .timeLimit(.minutes(5)))
    func unasked() async throws {
        try await BareServer.run { server in
            await #expect(throws: (any Error).self) {
                try await withRawConnection(to: server.port) { _ = try await $0.get("/tunnel") }
            }
            _ = try await server.records.wait(for: "/tunnel 499 0")
        }
    }

    @Test("takes from each side only as much as the other takes", .timeLimit(.minutes(5)))
    func backPressure() async throws {
        try await BareServer.run { server in
            let count = 64 << 20
            let client = try SilentClient(port: server.port)
            try client.send(Self.request)
            let sentByteCount = client.sendZeros(upTo: count)
            try await server.responder.latch.waitForArrivals()
            try await server.expectBackPressure(on: client, byteCount: count, after: sentByteCount)
            try await server.responder.monitor.wait(while: { $0.tunnelledByteCount < count })
        }
    }

    @Test("of a client that takes nothing is cut", .timeLimit(.minutes(5)))
    func stalled() async throws {
        var limits = ServerLimits()
        limits.writeStall = .milliseconds(50)
        try await BareServer.run(limits: limits) { server in
            let client = try SilentClient(port: server.port)
            try client.send(Self.request)
            for _ in 0..<64 { server.responder.fromOrigin.yield([UInt8](repeating: 1, count: 1 << 20)) }
            #expect(await client.isReset)
        }
    }
}
