import BundleServing
import BundleTesting
import Testing

@testable import ServerCore

@Suite("A client that closes while its response is awaited")
struct AbandonedRequestTests {
    @Test("isn't waited for over HTTP/1, and gives back its place", .timeLimit(.minutes(1)))
    func closed() async throws {
        var limits = ServerLimits()
        limits.connectionsPerAddress = 8
        try await BareServer.run(limits: limits) { server in
            for turn in 1...2 {
                for _ in 1...8 {
                    let client = try SilentClient(port: server.port)
                    try client.send("GET /hang HTTP/1.1\r\nHost: a\r\n\r\n")
                    try await server.responder.latch.waitForArrivals()
                }
                try await server.responder.monitor.wait(while: { $0.cancelCount < turn * 8 })
                while server.channels.count > 0 { await Task.yield() }
                #expect(try await withRawConnection(to: server.port) { try await $0.get("/ready").status } == 404)
            }
            #expect(server.records.all.count { $0 == "/hang 499 0" } == 16)
        }
    }

    @Test("but still reads gets what comes in a moment", .timeLimit(.minutes(1)))
    func halfClosed() async throws {
        try await BareServer.run { server in
            try await withRawConnection(to: server.port) { connection in
                try await connection.send("GET /hang HTTP/1.1\r\nHost: a\r\n\r\n")
                connection.finish()
                try await server.responder.latch.waitForArrivals()
                server.responder.latch.open()
                #expect(try await connection.response().text == "/hang\n")
            }
        }
    }

    @Test("or resets its stream isn't waited for over HTTP/2", .timeLimit(.minutes(1)))
    func http2() async throws {
        try await BareServer.run { server in
            try await withHTTP2Client(to: server.port) { client in
                // More than one origin's share: none waits for another.
                let streams = (0..<100).map { UInt32(2 * $0 + 1) }
                try await client.send(streams.map { .get("/hang", stream: $0) })
                try await server.responder.latch.waitForArrivals(100)
                #expect(try await client.get("/other", stream: 301).text == "/other\n")
                try await client.send(streams.prefix(50).map { .reset($0) })
                try await server.responder.monitor.wait(while: { $0.cancelCount < 50 })
            }
            try await server.responder.monitor.wait(while: { $0.cancelCount < 100 })
        }
    }
}
