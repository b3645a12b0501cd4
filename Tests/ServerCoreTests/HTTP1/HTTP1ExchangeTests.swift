import BundleServing
import HTTPTypes
import Testing

@testable import ServerCore

@Suite("An HTTP/1 exchange")
struct HTTP1ExchangeTests {
    @Test(
        "a body of unknown length is framed as the client's version allows (RFC 9112 §6)",
        arguments: [
            ("GET / HTTP/1.1", true, false), ("GET / HTTP/1.0", false, true), ("HEAD / HTTP/1.1", false, false),
        ]
    )
    func unknownLength(_ line: String, _ isChunked: Bool, _ closes: Bool) throws {
        let exchange = try exchange(line)
        #expect(exchange.framed(HTTPResponse(status: .ok)).headerFields.isEmpty)
        #expect(exchange.isChunked == isChunked)
        #expect(exchange.closesConnection == closes)
    }

    @Test("a known length is kept, except where there can be no body")
    func knownLength() throws {
        for (status, length) in [(HTTPResponse.Status.ok, "5"), (.notModified, "5"), (.noContent, nil)] {
            let exchange = try exchange("GET / HTTP/1.1")
            let head = exchange.framed(HTTPResponse(status: status, headerFields: [.contentLength: "5"]))
            #expect(head.headerFields[.contentLength] == length)
            #expect(!exchange.isChunked)
        }
    }

    @Test("the fields of the origin's connection aren't sent")
    func hopByHop() {
        let response = HTTPResponse(
            status: .ok,
            headerFields: [.contentLength: "5", .transferEncoding: "chunked", .connection: "keep-alive"]
        )
        let head = String(
            decoding: HTTP1Head(response).bytes(date: UnsafeRawBufferPointer(start: nil, count: 0)),
            as: UTF8.self
        )
        #expect(head.contains("Content-Length: 5\r\n"))
        #expect(!head.contains("Transfer-Encoding") && !head.contains("Connection"))
    }

    @Test(
        "the connection ends with the response because of the request's head",
        arguments: [
            ("Content-Length: 0", false), ("Transfer-Encoding: chunked", false), ("Connection: close", true),
            ("Connection: keep-alive", false), ("Upgrade: websocket", true),
        ]
    )
    func closing(_ field: String, _ closes: Bool) throws {
        #expect(try exchange("POST / HTTP/1.1", field).closesConnection == closes)
    }

    @Test(
        "the connection ends with the response because of the content that is still to come",
        arguments: [
            ("X: y", 0, false), ("X: y", 1_048_576, false), ("X: y", 1_048_577, true), ("X: y", nil, false),
            ("Expect: 100-continue", 0, false), ("Expect: 100-continue", 1, true), ("Expect: 100-continue", nil, true),
        ] as [(String, Int?, Bool)]
    )
    func closing(_ field: String, _ remaining: Int?, _ closes: Bool) throws {
        #expect(try exchange("POST / HTTP/1.1", field).closes(beforeContentOf: remaining) == closes)
    }

    private func exchange(_ line: String, _ field: String = "X: y") throws -> HTTP1Exchange {
        try Array("\(line)\r\nHost: a\r\n\(field)\r\n\r\n".utf8).withUnsafeBytes { bytes in
            guard case .complete(let head) = RequestHeadScanner().scan(bytes) else { throw MalformedRequest.syntax }
            return HTTP1Exchange(head, record: nil)
        }
    }
}
