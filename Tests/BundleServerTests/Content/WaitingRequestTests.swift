import BundleServing
import BundleTesting
import Testing

@testable import ServerCore

@Suite("Requests whose responses are awaited", .timeLimit(.minutes(5)))
struct WaitingRequestTests {
    private static func limits(all: Int = 4_096, perAddress: Int = 1_024) -> ServerLimits {
        var limits = ServerLimits()
        (limits.waitingRequests, limits.waitingRequestsPerAddress) = (all, perAddress)
        return limits
    }

    @Test(
        "are limited over HTTP/1, and the next one is told when to ask again, on the same connection",
        arguments: [limits(all: 2), limits(perAddress: 2)]
    )
    func http1(_ limits: ServerLimits) async throws {
        try await BareServer.run(limits: limits) { server in
            let clients = try (1...2).map { _ in try SilentClient(port: server.port) }
            for client in clients { try client.send("GET /hang HTTP/1.1\r\nHost: a\r\n\r\n") }
            try await server.responder.latch.waitForArrivals(2)
            try await withRawConnection(to: server.port) { connection in
                for line in ["GET /hang", "POST /read", "HEAD /hang"] {
                    try await connection.send("\(line) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab")
                    let response = try await connection.response(toHead: line.hasPrefix("HEAD"))
                    #expect((response.status, response["retry-after"]) == (503, "1"))
                }
                #expect(try await connection.get("/ready").status == 404)
                server.responder.latch.open()
                // The places are given back behind the responses.
                while try await connection.get("/hang").status == 503 {}
            }
            withExtendedLifetime(clients) {}
        }
    }

    @Test(
        "are limited over HTTP/2, on all connections of a client, without ending them",
        arguments: [limits(all: 3), limits(perAddress: 3)]
    )
    func http2(_ limits: ServerLimits) async throws {
        try await BareServer.run(limits: limits) { server in
            let client = try SilentClient(port: server.port)
            try client.send("GET /hang HTTP/1.1\r\nHost: a\r\n\r\n")
            try await withHTTP2Client(to: server.port) { client in
                try await client.send(.get("/hang", stream: 1), .get("/hang", stream: 3))
                try await server.responder.latch.waitForArrivals(3)
                try await client.send(.headers(HTTP2Frame.request("POST", "/count"), stream: 5, isEnd: false))
                #expect(try await client.response(on: 5).status == 503)
                try await client.send(.get("/ready", stream: 7))
                #expect(try await client.response(on: 7).status == 404)
                // One that is given up makes room.
                try await client.send(.reset(1))
                try await server.responder.monitor.wait(while: { $0.cancelCount < 1 })
                var stream: UInt32 = 9
                repeat {
                    try await client.send(.get("/other", stream: stream))
                    stream += 2
                } while try await client.response(on: stream - 2).status == 503
            }
            withExtendedLifetime(client) {}
        }
    }

    @Test("keep their places while the responder goes on, also if the client has left")
    func stubborn() async throws {
        try await BareServer.run(limits: Self.limits(perAddress: 1)) { server in
            try await withRawConnection(to: server.port) { connection in
                try await connection.send("GET /stubborn HTTP/1.1\r\nHost: a\r\n\r\n")
                try await server.responder.latch.waitForArrivals()
            }
            _ = try await server.records.wait(for: "/stubborn 499")
            try await withRawConnection(to: server.port) { connection in
                #expect(try await connection.get("/other").status == 503)
                server.responder.latch.open()
                while try await connection.get("/other").status == 503 {}
            }
        }
    }

    @Test("are those that arrive, too")
    func arriving() async throws {
        try await BareServer.run(limits: Self.limits(perAddress: 1)) { server in
            try await withRawConnection(to: server.port) { first in
                try await first.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await first.head().status == 200)
                try await withRawConnection(to: server.port) { connection in
                    #expect(try await connection.get("/other").status == 503)
                    server.responder.fromOrigin.finish()
                    while try await connection.get("/other").status == 503 {}
                }
            }
        }
    }
}
