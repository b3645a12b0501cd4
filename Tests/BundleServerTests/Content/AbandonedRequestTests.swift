import BundleServing
import BundleTesting
import Testing

@testable import ServerCore

@Suite("A client that closes while its response is awaited")
struct AbandonedRequestTests {
    @Test(
        "isn't waited for over HTTP/1, and gives back its place, also if the responder goes on",
        .timeLimit(.minutes(5)),
        arguments: ["/hang", "/stubborn"]
    )
    func closed(_ path: String) async throws {
        var limits = ServerLimits()
        limits.connectionsPerAddress = 8
        try await BareServer.run(limits: limits) { server in
            for turn in 1...2 {
                for number in 1...8 {
                    let client = try SilentClient(port: server.port)
                    try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                    try await server.responder.latch.waitForArrivals((turn - 1) * 8 + number)
                }
                var status = 503
                while status == 503 {
                    status =
                        (try? await withRawConnection(to: server.port) { try await $0.get("/ready").status }) ?? 503
                }
                #expect(status == 404)
                try await eventually { server.channels.count == 0 }
            }
            #expect(server.records.all.count { $0 == "\(path) 499 0" } == 16)
            if path == "/hang" { try await server.responder.monitor.wait(while: { $0.cancelCount < 16 }) }
        }
    }

    @Test("but still reads gets what comes in a moment", .timeLimit(.minutes(5)))
    func halfClosed() async throws {
        var limits = ServerLimits()
        limits.halfClosedWait = .seconds(3_600)
        try await BareServer.run(limits: limits) { server in
            try await withRawConnection(to: server.port) { connection in
                try await connection.send("GET /hang HTTP/1.1\r\nHost: a\r\n\r\n")
                connection.finish()
                try await server.responder.latch.waitForArrivals()
                server.responder.latch.open()
                #expect(try await connection.response().text == "/hang\n")
            }
        }
    }

    @Test(
        "or ends its side of an event stream gives back its place, before the next event",
        .timeLimit(.minutes(5)),
        arguments: [true, false]
    )
    func events(_ hasResponse: Bool) async throws {
        var limits = ServerLimits()
        limits.writeStall = .seconds(3_600)
        try await BareServer.run(limits: limits) { server in
            try await withRawConnection(to: server.port) { connection in
                try await connection.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
                if hasResponse { _ = try await connection.head() }
                connection.finish()
                _ = try await connection.rest()
                #expect(try await server.records.wait(for: "/events 200") == ["/events 200 0"])
                try await eventually { server.channels.count == 0 }
            }
        }
    }

    @Test("or resets its stream isn't waited for over HTTP/2", .timeLimit(.minutes(5)))
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
