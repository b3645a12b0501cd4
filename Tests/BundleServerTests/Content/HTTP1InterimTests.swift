import BundleServing
import BundleTesting
import Testing

@testable import ServerCore

@Suite("Interim responses, trailers and events over HTTP/1")
struct HTTP1InterimTests {
    @Test("interim responses precede the final one (RFC 9110 §15.2)", .timeLimit(.minutes(5)))
    func interim() async throws {
        try await BareServer.run { server in
            try await withRawConnection(to: server.port) { connection in
                try await connection.send("GET /interim HTTP/1.1\r\nHost: a\r\n\r\n")
                for number in 1...3 {
                    let head = try await connection.head()
                    #expect(head.status == 103)
                    #expect(head["link"] == "</\(number)>")
                    #expect(head["content-length"] == nil && head["connection"] == nil)
                }
                #expect(try await connection.response().text == "/interim\n")
                #expect(try await connection.get("/ready").status == 404)
            }
        }
    }

    @Test("HTTP/1.0 has none, and what isn't one isn't sent", .timeLimit(.minutes(5)))
    func none() async throws {
        try await BareServer.run { server in
            try await withRawConnection(to: server.port) { connection in
                let late = try await connection.get("/late")
                #expect(late.text == "/late\n")
                let old = try await connection.request("GET /interim HTTP/1.0")
                #expect(old.text == "/interim\n")
            }
        }
    }

    @Test("ten thousand are no trouble", .timeLimit(.minutes(5)))
    func many() async throws {
        try await BareServer.run { server in
            try await withRawConnection(to: server.port) { connection in
                try await connection.send("GET /many HTTP/1.1\r\nHost: a\r\n\r\n")
                var (status, count) = (103, 0)
                while status == 103 {
                    status = try await connection.head().status
                    count += 1
                }
                #expect(status == 200)
                #expect(count <= 10_001)
            }
        }
    }

    @Test(
        "trailers follow the last chunk, without those that belong into a header (RFC 9110 §6.5.1)",
        .timeLimit(.minutes(5))
    )
    func trailers() async throws {
        try await BareServer.run { server in
            try await withRawConnection(to: server.port) { connection in
                try await connection.send("GET /trailers HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n\r\n")
                #expect(try await connection.head()["transfer-encoding"] == "chunked")
                var text = ""
                while !text.hasSuffix("\r\n\r\n") {
                    text += String(decoding: try await connection.bytes(1), as: UTF8.self)
                }
                #expect(text.hasSuffix("0\r\nETag: \"1\"\r\n\r\n"))
                #expect(try await connection.get("/ready").status == 404)
                let old = try await connection.request("GET /trailers HTTP/1.0")
                #expect(old.text == "content")
            }
        }
    }

    @Test("each event is sent when it comes", .timeLimit(.minutes(5)))
    func events() async throws {
        try await BareServer.run { server in
            try await withRawConnection(to: server.port) { connection in
                try await connection.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await connection.head()["content-type"] == "text/event-stream")
                for number in 1...3 {
                    server.responder.fromOrigin.yield(Array("data: \(number)\n\n".utf8))
                    #expect(try await connection.bytes(14) == Array("9\r\ndata: \(number)\n\n\r\n".utf8))
                }
            }
        }
    }
}
