import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Logging
import NIOCore
import Testing

@testable import ServerCore

@Suite("An HTTP/1 connection")
struct HTTP1ConnectionTests {
    #if os(Linux)
        @Test("that had to leave its loop returns there, and is served as before", .timeLimit(.minutes(5)))
        func comingBack() async throws {
            let responder = LatchedResponder()
            responder.latch.open()
            try await withServer(responder) { port, channel in
                try await withRawConnection(to: port) { connection in
                    for _ in 1...3 {
                        #expect(try await connection.get("/now").status == 404)
                        #expect(channel.openChannels.count == 0)
                        #expect(try await connection.get("/slow").text == "/slow\n")
                        #expect(channel.openChannels.count == 1)
                        let post = try await connection.request("POST /x HTTP/1.1", ["Host: a", "Content-Length: 0"])
                        #expect(post.text == "/x\n")
                        // A ready response returns it to its loop.
                        #expect(try await connection.get("/now").status == 404)
                        try await eventually { channel.openChannels.count == 0 }
                    }
                }
            }
        }

        @Test("stays in its loop when all fields of a request decide it", .timeLimit(.minutes(5)))
        func allFields() async throws {
            try await withServer(LatchedResponder()) { port, channel in
                try await withRawConnection(to: port) { connection in
                    for agent in ["a", "b"] {
                        #expect(try await connection.get("/agent", ["User-Agent: \(agent)"]).text == agent + "\n")
                        #expect(channel.openChannels.count == 0)
                    }
                    let response = try await connection.get("/agent")
                    #expect(response.text == "none\n")
                    #expect(channel.openChannels.count == 1)
                }
            }
        }
    #endif

    @Test("responds to all requests before the client's end", .timeLimit(.minutes(5)), arguments: [0, 1, 2])
    func halfClosed(_ slowIndex: Int) async throws {
        let responder = LatchedResponder()
        try await withServer(responder) { port, _ in
            try await withRawConnection(to: port) { connection in
                let paths = ["/a", "/b", "/c"].enumerated().map { $0 == slowIndex ? "/slow" : $1 }
                for path in paths { try await connection.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n") }
                connection.finish()
                for path in paths[..<slowIndex] { #expect(try await connection.response().text == path + "\n") }
                responder.latch.open()
                for path in paths[slowIndex...] { #expect(try await connection.response().text == path + "\n") }
                #expect(try await connection.rest().isEmpty)
            }
        }
    }

    @Test("sends the response behind a relayed one at once", .timeLimit(.minutes(5)))
    func behindRelayed() async throws {
        try await withServer(LatchedResponder()) { port, _ in
            try await withRawConnection(to: port) { connection in
                for _ in 1...3 {
                    try await connection.send(
                        "GET /stream HTTP/1.1\r\nHost: a\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n"
                    )
                    #expect(try await connection.response().body == LatchedResponder.content(1_000))
                    #expect(try await connection.response().text == "/x\n")
                }
            }
        }
    }

    @Test("responds in the order of the requests, however long the bodies are", .timeLimit(.minutes(5)))
    func order() async throws {
        let responder = LatchedResponder()
        try await withServer(responder) { port, _ in
            try await withRawConnection(to: port) { connection in
                for path in ["/long", "/slow", "/a"] {
                    try await connection.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                }
                #expect(try await connection.response().body == LatchedResponder.long)
                responder.latch.open()
                #expect(try await connection.response().text == "/slow\n")
                #expect(try await connection.response().text == "/a\n")
            }
        }
    }

    @Test(
        "completes a response to a client that ends its side",
        .timeLimit(.minutes(5)),
        arguments: ["HTTP/1.0", "HTTP/1.1"]
    )
    func halfClosedDuringBody(_ version: String) async throws {
        try await withServer(LatchedResponder()) { port, _ in
            try await withRawConnection(to: port) { connection in
                try await connection.send("GET /long \(version)\r\nHost: localhost\r\n\r\n")
                connection.finish()
                let response = try await connection.response()
                #expect(response.body.count == LatchedResponder.long.count)
                #expect(try await connection.rest().isEmpty)
            }
        }
    }

    @Test("reads little after a request whose response is awaited", .timeLimit(.minutes(5)))
    func boundedReading() async throws {
        let responder = LatchedResponder()
        try await withServer(responder) { port, _ in
            try await withRawConnection(to: port) { connection in
                let request = "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n"
                let count = 1_000_000
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    let output = connection.output
                    group.addTask {
                        try await output.write(ByteBuffer(string: "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                        for _ in 0..<count / 1_000 {
                            try await output.write(ByteBuffer(string: String(repeating: request, count: 1_000)))
                        }
                        return true
                    }
                    // Time in which the server could read it all, measured in requests of others.
                    group.addTask {
                        for _ in 0..<200 {
                            _ = try await withRawConnection(to: port) { try await $0.get("/b") }
                        }
                        return false
                    }
                    let isTaken = try await group.next()
                    #expect(isTaken == false)
                    group.cancelAll()
                }
            }
        }
    }

    /// Serves on 127.0.0.1 without an endpoint.
    private func withServer(
        _ responder: LatchedResponder,
        _ body: (_ port: Int, _ channel: ConnectionChannel) async throws -> Void
    ) async throws {
        let logger = RecordedLog().logger
        let sockets = try ListeningSocket.open(.tcp(host: "127.0.0.1", port: 0))
        let port = try #require(sockets.first?.url().split(separator: ":").last.flatMap { Int($0) })
        let channel = ConnectionChannel(settings: .bare(responder))
        let acceptor = ConnectionAcceptor(metrics: nil, logger: logger, now: { .now })
        let accepting = try await acceptor.accept(from: sockets, for: channel)
        try await withCleanup {
            try await body(port, channel)
        } cleanUp: {
            accepting.drain()
            accepting.stop()
            _ = await accepting.end()
        }
    }
}
