import BundleServing
import BundleTesting
import NIOCore
import Testing

@testable import ServerCore

@Suite("Request content over HTTP/1")
struct HTTP1ContentTests {
    private static func post(_ path: String, _ fields: String, _ content: String = "") -> String {
        "POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n\(content)"
    }

    @Test(
        "is passed to the responder, and the next request is found behind it",
        .timeLimit(.minutes(5)),
        arguments: [
            ("Content-Length: 5", "hello", "hello", ""), ("Content-Length: 0", "", "none", nil),
            ("Transfer-Encoding: chunked", "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n", "hello", ""),
            ("Transfer-Encoding: chunked", "0\r\n\r\n", "", ""),
            ("Transfer-Encoding: chunked", "1\r\na\r\n0\r\nX-A: b\r\nHost: evil\r\n\r\n", "a", "X-A: b"),
        ] as [(String, String, String, String?)]
    )
    func content(_ fields: String, _ content: String, _ expected: String, _ end: String?) async throws {
        try await BareServer.run { server in
            try await withRawConnection(to: server.port) { connection in
                for _ in 1...2 {
                    try await connection.send(Self.post("/read", fields, content))
                    #expect(try await connection.response().text == expected)
                    #expect(try await connection.get("/ready").status == 404)
                }
                // Byte by byte.
                for byte in Self.post("/read", fields, content).utf8 { try await connection.send([byte]) }
                #expect(try await connection.response().text == expected)
                if let end { #expect(server.responder.monitor.state.ends == [end, end, end]) }
            }
        }
    }

    @Test("of a GET is passed on, too, and a file is served in spite of it", .timeLimit(.minutes(5)))
    func ofGet() async throws {
        try await BareServer.run { server in
            try await withRawConnection(to: server.port) { connection in
                for path in ["/read", "/file"] {
                    try await connection.send(
                        "GET \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello"
                    )
                    #expect(try await connection.response().text == (path == "/read" ? "hello" : "file\n"))
                }
            }
        }
    }

    @Test(
        "that is malformed is refused, and nothing behind it is read (RFC 9112 §7.1, §11.2)",
        .timeLimit(.minutes(5)),
        arguments: [
            "x\r\n", "\r\n", "5 \r\nhello\r\n0\r\n\r\n", "5\nhello\n0\n\n", "3\r\nhello\r\n0\r\n\r\n", "-1\r\n",
            "0x5\r\nhello",
            "5\r\nhello0\r\n\r\n", "FFFFFFFFFFFFFFFFF\r\n", "7FFFFFFFFFFFFFFF\r\n", "5;a\u{0}b\r\nhello\r\n0\r\n\r\n",
            "0\r\nX : y\r\n\r\n", "0\r\n X: y\r\n\r\n", "0\r\nX\r\n\r\n", "0\r\nX: y\n\r\n", "+5\r\nhello\r\n0\r\n\r\n",
            "5\r\nhello\r\n\r\n0\r\n\r\n", "5\rhello",
        ]
    )
    func malformed(_ content: String) async throws {
        try await BareServer.run { server in
            try await withRawConnection(to: server.port) { connection in
                let next = "GET /ready HTTP/1.1\r\nHost: a\r\n\r\n"
                try await connection.send(Self.post("/read", "Transfer-Encoding: chunked", content + next))
                let response = try await connection.response()
                #expect(response.status == 400)
                #expect(response["connection"] == "close")
                #expect(try await connection.rest().isEmpty)
            }
            #expect(try await server.records.wait(for: "/read 400 ").count == 1)
            try await server.responder.monitor.wait(while: { $0.ends.isEmpty })
            #expect(server.responder.monitor.state.ends == ["CancellationError"])
        }
    }

    @Test("is refused when its extensions or trailers are endless", .timeLimit(.minutes(5)))
    func endless() async throws {
        let field = "X: " + String(repeating: "y", count: 500) + "\r\n"
        let bomb = String(repeating: "1;" + String(repeating: "x", count: 900) + "\r\na\r\n", count: 40)
        for content in [
            "0\r\n" + String(repeating: field, count: 200), bomb, "5;" + String(repeating: "x", count: 5_000),
        ] {
            try await BareServer.run { server in
                try await withRawConnection(to: server.port) { connection in
                    try await connection.send(Self.post("/read", "Transfer-Encoding: chunked", content))
                    #expect([400, 431].contains(try await connection.response().status))
                }
            }
        }
    }

    @Test(
        "that the client ends in the middle, when the response has been sent, ends the connection",
        .timeLimit(.minutes(5)),
        arguments: ["Content-Length: 5\r\n\r\nhel", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\ru"]
    )
    func endedEarly(_ rest: String) async throws {
        var limits = ServerLimits()
        (limits.idle, limits.headTime, limits.bodyTime) = (.seconds(3_600), .seconds(3_600), .seconds(3_600))
        try await BareServer.run(limits: limits) { server in
            try await withRawConnection(to: server.port) { connection in
                try await connection.send("GET /file HTTP/1.1\r\nHost: localhost\r\n\(rest)")
                connection.finish()
                #expect(try await connection.response().text == "file\n")
                #expect(try await connection.rest().isEmpty)
            }
        }
    }

    @Test("is received only as fast as it is read", .timeLimit(.minutes(5)))
    func backPressure() async throws {
        try await BareServer.run { server in
            let count = 64 << 20
            let client = try SilentClient(port: server.port)
            try client.send(Self.post("/count", "Content-Length: \(count)"))
            try await server.responder.latch.waitForArrivals()
            try await server.expectBackPressure(on: client, byteCount: count)
            try await server.responder.monitor.wait(while: { $0.readByteCount < count })
            _ = try await server.records.wait(for: "/count 200")
        }
    }

    @Test("is invited by the first read alone (RFC 9110 §10.1.1)", .timeLimit(.minutes(5)))
    func expectation() async throws {
        try await BareServer.run { server in
            let fields = "Content-Length: 5\r\nExpect: 100-continue"
            try await withRawConnection(to: server.port) { connection in
                for _ in 1...2 {
                    try await connection.send(Self.post("/read", fields))
                    #expect(try await connection.head().status == 100)
                    try await connection.send("hello")
                    #expect(try await connection.response().text == "hello")
                }
                try await connection.send(Self.post("/other", fields))
                let response = try await connection.response()
                #expect(response.status == 200)
                #expect(response["connection"] == "close")
                #expect(try await connection.rest().isEmpty)
            }
            // One that doesn't wait gets no invitation.
            try await withRawConnection(to: server.port) { connection in
                try await connection.send(Self.post("/read", fields, "hello"))
                let response = try await connection.response()
                #expect([100, 200].contains(response.status))
            }
        }
    }

    @Test("that nobody reads is discarded up to a limit", .timeLimit(.minutes(5)))
    func discarded() async throws {
        try await BareServer.run { server in
            let short = String(repeating: "x", count: 1 << 20)
            for chunked in [false, true] {
                let fields = chunked ? "Transfer-Encoding: chunked" : "Content-Length: \(short.utf8.count)"
                try await withRawConnection(to: server.port) { connection in
                    for path in ["/other", "/file"] {
                        try await connection.send(
                            Self.post(path, fields, chunked ? "100000\r\n\(short)\r\n0\r\n\r\n" : short)
                        )
                        #expect(try await connection.response().status == 200)
                    }
                    #expect(try await connection.get("/ready").status == 404)
                }
            }
            try await withRawConnection(to: server.port) { connection in
                try await connection.send(Self.post("/other", "Content-Length: 1048577"))
                #expect(try await connection.response()["connection"] == "close")
            }
            try await withRawConnection(to: server.port) { connection in
                let long = "200000\r\n\(short)\(short)\r\n0\r\n\r\n"
                try await connection.send(Self.post("/other", "Transfer-Encoding: chunked", long))
                #expect(try await connection.response().status == 200)
                #expect(try await connection.rest().isEmpty)
            }
        }
    }

    @Test(
        "that doesn't come in time ends the request, however it drips",
        .timeLimit(.minutes(5)),
        arguments: [false, true]
    )
    func dripping(_ drips: Bool) async throws {
        var limits = ServerLimits()
        limits.bodyTime = .milliseconds(50)
        try await BareServer.run(limits: limits) { server in
            try await withRawConnection(to: server.port) { connection in
                try await connection.send(Self.post("/read", "Content-Length: 1000000", "a"))
                let output = connection.output
                let dripping = Task {
                    while drips, !Task.isCancelled { try await output.write(ByteBuffer(string: "y")) }
                }
                let response = try await connection.response()
                dripping.cancel()
                _ = await dripping.result
                #expect(response.status == 408)
            }
            #expect(try await server.records.wait(for: "/read 408 ").count == 1)
            try await server.responder.monitor.wait(while: { $0.ends.isEmpty })
        }
    }

    @Test(
        "of a client that vanishes ends with an error",
        .timeLimit(.minutes(5)),
        arguments: ["Content-Length: 9", "Transfer-Encoding: chunked"]
    )
    func vanished(_ field: String) async throws {
        try await BareServer.run { server in
            try await withRawConnection(to: server.port) { connection in
                try await connection.send(Self.post("/read", field, "5\r\nhe"))
                try await server.responder.monitor.wait(while: { $0.readByteCount == 0 })
            }
            try await server.responder.monitor.wait(while: { $0.ends.isEmpty })
            #expect(server.responder.monitor.state.ends == ["CancellationError"])
            _ = try await server.records.wait(for: "/read 499 0")
        }
    }

    @Test("may be the response, in both directions at once", .timeLimit(.minutes(5)))
    func mirrored() async throws {
        try await BareServer.run { server in
            try await withRawConnection(to: server.port) { connection in
                try await connection.send(Self.post("/mirror", "Transfer-Encoding: chunked"))
                #expect(try await connection.head()["transfer-encoding"] == "chunked")
                for _ in 1...3 {
                    try await connection.send("5\r\nhello\r\n")
                    #expect(try await connection.bytes(10) == Array("5\r\nhello\r\n".utf8))
                }
                try await connection.send("0\r\nX-A: b\r\n\r\n")
                #expect(try await connection.bytes(13) == Array("0\r\nX-A: b\r\n\r\n".utf8))
                #expect(try await connection.get("/ready").status == 404)
            }
        }
    }
}
