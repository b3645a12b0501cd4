import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import BundleTransport
import HTTPTypes
import Testing

@Suite("What an origin may send")
struct HostileOriginTests {
    @Test(
        "ends no process, and is no response when it isn't well-formed",
        arguments: [
            ("HTTP/1.1 000 X\r\nContent-Length: 3\r\n\r\nabc", "the status of its response"),
            ("HTTP/1.1 099 X\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", "the status of its response"),
            ("HTTP/1.1 600 X\r\nContent-Length: 3\r\n\r\nabc", "the status of its response"),
            ("HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n", "the status of its response"),
            ("HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n", "the status of its response"),
            ("HTTP/1.1 100 X\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\n\r\n", "interim"),
            ("HTTP/1.1 100 X\r\n\r\nabcHTTP/1.1 200 OK\r\n\r\n", "isn't HTTP"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc", "its length"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: br, chunked\r\n\r\n0\r\n\r\n", "transfer coding"),
            ("SSH-2.0-OpenSSH_9.2\r\n", "isn't HTTP"), ("", "closed the connection too early"),
            ("HTTP/1.1 200 OK\r\nContent-Le", "closed the connection too early"),
        ]
    )
    func malformed(_ reply: String, _ reason: String) async throws {
        for size in [1, 1 << 20] {
            try await withReplies({ _ in .init(reply.utf8, pieceByteCount: size) }) { origin, transport in
                let error = await #expect(throws: BundleError.self) {
                    try await transport.get(origin)
                }
                #expect(error?.code == .networkUnavailable)
                #expect(error?.message.hasPrefix("could not reach 127.0.0.1:") == true)
                #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
            }
        }
    }

    @Test(
        "breaks a response off that has begun when it goes wrong later",
        arguments: [
            ("1\r\na\r\nx\r\n", "the chunks of its response are malformed"),
            ("1;" + String(repeating: "a", count: 5_000), "the chunks of its response are malformed"),
            ("0\r\nContent-Length: 1\r\n\r\n", "its response doesn't state its length"),
            ("0\r\n" + String(repeating: "a: b\r\n", count: 300), "the head of its response is too long"),
            ("5\r\na", "closed the connection too early"), ("0\r\n", "closed the connection too early"),
        ]
    )
    func brokenOff(_ chunks: String, _ reason: String) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        for size in [3, 1 << 20] {
            try await withReplies({ _ in .init((head + chunks).utf8, pieceByteCount: size) }) { origin, transport in
                let error = await #expect(throws: BundleError.self) {
                    try await transport.get(origin)
                }
                #expect(error?.code == .networkUnavailable)
                #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
            }
        }
    }

    @Test("may have sixteen interim responses ahead of it", arguments: [(16, true), (17, false), (10_000, false)])
    func interims(_ count: Int, _ isTaken: Bool) async throws {
        let interims = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: count)
        let reply = interims + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        try await withReplies({ _ in .init(reply.utf8) }) { origin, transport in
            let body = try? await transport.get(origin).body
            #expect(body.map { String(decoding: $0, as: UTF8.self) } == (isTaken ? "ok" : nil))
        }
    }

    @Test("is no response to the next request when it was sent ahead of that")
    func excess() async throws {
        let response = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"
        try await withReplies({ .init("\(response)\($0)\(response)x".utf8, isLast: false) }) { origin, transport in
            for number in 0..<3 {
                let body = try await transport.get(origin).body
                #expect(body == Array("\(number)".utf8))
            }
        }
    }

    @Test("is no content of a HEAD, a 204 or a 304", arguments: [(200, "HEAD"), (204, "GET"), (304, "GET")])
    func noContent(_ status: Int, _ method: String) async throws {
        let reply = "HTTP/1.1 \(status) X\r\nContent-Length: 3\r\n\r\nabc"
        try await withReplies({ _ in .init(reply.utf8, isLast: false) }) { origin, transport in
            for _ in 0..<2 {
                let response = try await transport.get(origin, method: .init(rawValue: method)!)
                #expect(response.status == status)
                #expect(response.body.isEmpty)
            }
        }
    }

    @Test("has fields without values, in its head and behind its content")
    func emptyFields() async throws {
        let reply = "HTTP/1.1 200 OK\r\nX:\r\nTransfer-Encoding: chunked\r\nY: \r\n\r\n1\r\na\r\n0\r\nZ:\r\n\r\n"
        for size in [1, 1 << 20] {
            try await withReplies({ _ in .init(reply.utf8, pieceByteCount: size) }) { origin, transport in
                let body = try await transport.get(origin).body
                #expect(body == [UInt8(ascii: "a")])
            }
        }
    }

    @Test("is read in few parts, however small its chunks are")
    func smallChunks() async throws {
        let count = 20_000
        let reply =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + String(repeating: "1\r\na\r\n", count: count)
            + "0\r\n\r\n"
        try await withReplies({ _ in .init(reply.utf8) }) { origin, transport in
            let response = try await transport.get(origin)
            #expect(response.body == [UInt8](repeating: UInt8(ascii: "a"), count: count))
            #expect(response.partCount < count / 10)
        }
    }
}

private struct Response {
    let status: Int
    var body: [UInt8] = []
    var partCount = 0
}

private func withReplies(
    _ script: @escaping @Sendable (Int) -> RawOrigin.Reply,
    _ body: (RawOrigin, NIOTransport) async throws -> Void
) async throws {
    try await withTransport(NIOTransport()) { transport in
        try await withRawOrigin(script) { origin in try await body(origin, transport) }
    }
}

extension NIOTransport {
    @discardableResult
    fileprivate func get(_ origin: RawOrigin, method: HTTPRequest.Method = .get) async throws -> Response {
        let response = try await send(origin.request(method))
        var result = Response(status: response.head.status.code)
        for try await part in response.body {
            result.body += part
            result.partCount += 1
        }
        return result
    }
}
