import BundleServing
import BundleTesting
import Testing

@testable import ServerCore

@Suite("Content, interim responses and tunnels over HTTP/2")
struct HTTP2ContentTests {
    private static func post(_ path: String, _ fields: [(String, String)] = []) -> HTTP2Frame {
        .headers(HTTP2Frame.request("POST", path) + fields, stream: 1, isEnd: false)
    }

    private static let connect: HTTP2Frame = .headers(
        [
            (":method", "CONNECT"), (":protocol", "echo"), (":scheme", "http"), (":authority", "localhost"),
            (":path", "/tunnel"),
        ],
        stream: 1,
        isEnd: false
    )

    @Test("content is passed to the responder, with its trailers", .timeLimit(.minutes(5)), arguments: [false, true])
    func content(_ hasTrailers: Bool) async throws {
        try await run { client, server in
            try await client.send(Self.post("/read"), .data(Array("hel".utf8), stream: 1))
            try await client.send(.data(Array("lo".utf8), stream: 1, isEnd: !hasTrailers))
            if hasTrailers { try await client.send(.headers([("x-a", "b"), ("host", "evil")], stream: 1)) }
            #expect(try await client.response(on: 1).text == "hello")
            #expect(server.responder.monitor.state.ends == [hasTrailers ? "x-a: b" : ""])
            // Files are served in spite of it, and the connection's window stays open.
            for number in 0..<40 {
                let stream = UInt32(2 * number + 3)
                try await client.send(
                    .headers(HTTP2Frame.request("POST", "/file"), stream: stream, isEnd: false),
                    .data([UInt8](repeating: 1, count: 16_384), stream: stream),
                    .data([UInt8](repeating: 1, count: 16_384), stream: stream, isEnd: true)
                )
                #expect(try await client.response(on: stream).text == "file\n")
            }
        }
    }

    @Test("windows open only as content is read", .timeLimit(.minutes(5)))
    func backPressure() async throws {
        try await run { client, server in
            try await client.send(Self.post("/count"))
            for _ in 0..<3 { try await client.send(.data([UInt8](repeating: 1, count: 16_384), stream: 1)) }
            try await client.send(.data([UInt8](repeating: 1, count: 16_383), stream: 1))
            try await server.responder.latch.waitForArrivals()
            // Others aren't blocked.
            try await client.send(
                .headers(HTTP2Frame.request("POST", "/read"), stream: 3, isEnd: false),
                .data(Array("hello".utf8), stream: 3, isEnd: true)
            )
            #expect(try await client.response(on: 3).text == "hello")
            #expect(server.responder.monitor.state.readByteCount == 5)
            server.responder.latch.open()
            #expect(
                try await client.frame { $0.stream == 1 && $0.kind == HTTP2Frame.Kind.windowUpdate.rawValue }.payload
                    .count == 4
            )
            try await client.send(.data([1], stream: 1, isEnd: true))
            _ = try await client.frame(on: 1)
            #expect(server.responder.monitor.state.readByteCount == 65_541)
        }
    }

    @Test(
        "content of another length than declared is refused (RFC 9113 §8.1.1)",
        .timeLimit(.minutes(5)),
        arguments: ["4", "6"]
    )
    func lying(_ length: String) async throws {
        try await run { client, server in
            try await client.send(
                Self.post("/read", [("content-length", length)]),
                .data(Array("hello".utf8), stream: 1, isEnd: true)
            )
            #expect(try await client.frame(.resetStream).errorCode == 1)
            try await server.responder.monitor.wait(while: { $0.ends.isEmpty })
            #expect(server.responder.monitor.state.ends == ["CancellationError"])
            #expect(try await client.get("/ready", stream: 3).status == 404)
        }
    }

    @Test("a client that waits gets 100 with the first read alone", .timeLimit(.minutes(5)))
    func expectation() async throws {
        try await run { client, _ in
            try await client.send(Self.post("/read", [("expect", "100-continue")]))
            #expect(try await client.head(on: 1).response.status == 100)
            try await client.send(.data(Array("hello".utf8), stream: 1, isEnd: true))
            #expect(try await client.response(on: 1).text == "hello")
            try await client.send(
                .headers(HTTP2Frame.request("POST", "/other") + [("expect", "100-continue")], stream: 3, isEnd: false)
            )
            #expect(try await client.response(on: 3).status == 200)
        }
    }

    @Test("content that doesn't come in time ends the request", .timeLimit(.minutes(5)))
    func slow() async throws {
        var limits = ServerLimits()
        limits.bodyTime = .milliseconds(50)
        try await run(limits) { client, server in
            try await client.send(Self.post("/read"), .data([1], stream: 1))
            #expect(try await client.response(on: 1).status == 408)
            try await server.responder.monitor.wait(while: { $0.ends.isEmpty })
            #expect(try await client.get("/ready", stream: 3).status == 404)
        }
    }

    @Test("interim responses precede the final one, ten thousand too", .timeLimit(.minutes(5)))
    func interim() async throws {
        try await run { client, _ in
            try await client.send(.get("/interim", stream: 1))
            for number in 1...3 {
                let head = try await client.head(on: 1)
                #expect(head.response.status == 103)
                #expect(head.response["link"] == "</\(number)>")
                #expect(!head.isWhole)
            }
            #expect(try await client.response(on: 1).text == "/interim\n")
            try await client.send(.get("/many", stream: 3))
            while try await client.head(on: 3).response.status == 103 {}
            #expect(try await client.get("/late", stream: 5).text == "/late\n")
        }
    }

    @Test("trailers end the stream, and each event is sent when it comes", .timeLimit(.minutes(5)))
    func trailers() async throws {
        try await run { client, server in
            try await client.send(.get("/trailers", stream: 1))
            #expect(try await client.head(on: 1).response.status == 200)
            var frame = try await client.frame(on: 1)
            var content: [UInt8] = []
            while frame.kind == HTTP2Frame.Kind.data.rawValue {
                #expect(!frame.isEnd)
                content += frame.payload
                frame = try await client.frame(on: 1)
            }
            #expect(content == Array("content".utf8))
            #expect(frame.kind == HTTP2Frame.Kind.headers.rawValue && frame.isEnd)
            #expect(client.fields(of: frame) == ["etag: \"1\""])
            try await client.send(.get("/events", stream: 3))
            _ = try await client.head(on: 3)
            for number in 1...3 {
                server.responder.fromOrigin.yield(Array("data: \(number)\n\n".utf8))
                #expect(try await client.frame(on: 3).payload == Array("data: \(number)\n\n".utf8))
            }
        }
    }

    @Test("an extended CONNECT becomes a tunnel (RFC 8441)", .timeLimit(.minutes(5)), arguments: [false, true])
    func tunnel(_ isOriginFirst: Bool) async throws {
        try await run { client, server in
            server.responder.latch.open()
            #expect(try await client.frame(.settings).payload.chunks.contains([0, 8, 0, 0, 0, 1]))
            try await client.send(Self.connect, .data(Array("first".utf8), stream: 1))
            let head = try await client.head(on: 1).response
            #expect(head.status == 200)
            #expect(head["cache-status"] == "a")
            #expect(head["upgrade"] == nil && head["sec-websocket-accept"] == nil && head["connection"] == nil)
            server.responder.fromOrigin.yield(Array("abc".utf8))
            #expect(try await client.frame(on: 1).payload == Array("abc".utf8))
            if isOriginFirst { server.responder.fromOrigin.finish() }
            if isOriginFirst { #expect(try await client.frame(on: 1).isEnd) }
            try await client.send(.data(Array("last".utf8), stream: 1))
            try await server.responder.monitor.wait(while: { $0.tunnelled.count < 9 })
            #expect(server.records.all.isEmpty)
            try await client.send(.data([], stream: 1, isEnd: true))
            if !isOriginFirst {
                try await server.responder.monitor.wait(while: { !$0.hasTunnelEnded })
                server.responder.fromOrigin.finish()
                #expect(try await client.frame(on: 1).isEnd)
            }
            #expect(try await server.records.wait(for: "/tunnel 200 3").count == 1)
            #expect(String(decoding: server.responder.monitor.state.tunnelled, as: UTF8.self) == "firstlast")
        }
    }

    @Test("no tunnel is opened for another request", .timeLimit(.minutes(5)))
    func unasked() async throws {
        try await run { client, _ in
            try await client.send(.get("/tunnel", stream: 1))
            #expect(try await client.frame(.resetStream).errorCode == 2)
        }
    }

    private func run(
        _ limits: ServerLimits = ServerLimits(),
        _ body: (HTTP2Client, BareServer) async throws -> Void
    ) async throws {
        try await BareServer.run(limits: limits) { server in
            try await withHTTP2Client(to: server.port) { try await body($0, server) }
        }
    }
}

extension [UInt8] {
    /// Settings, six bytes each.
    fileprivate var chunks: [[UInt8]] {
        stride(from: 0, to: count, by: 6).map { Array(self[$0..<Swift.min($0 + 6, count)]) }
    }
}
