import BundleServing
import HTTPTypes
import Testing

@testable import ServerCore

@Suite("The position in a connection's input")
struct RequestStreamTests {
    @Test("is after content of known length once that many bytes have passed")
    func length() throws {
        var stream = RequestStream()
        stream.pass(try head("Content-Length: 5"), limits: RequestHeadLimits())
        #expect(!stream.isAtHead)
        #expect(stream.remainingByteCount == 5)
        #expect(try pass("abc", &stream) == "abc")
        #expect(!stream.isAtHead)
        #expect(try pass("deGET", &stream) == "de")
        #expect(stream.isAtHead)
        #expect(try pass("GET", &stream) == "")
        stream.pass(try head("X: y"), limits: RequestHeadLimits())
        #expect(stream.isAtHead)
        stream.pass(try head("Content-Length: 0"), limits: RequestHeadLimits())
        #expect(stream.isAtHead)
    }

    @Test("is after the last chunk and the trailers")
    func chunks() throws {
        var stream = RequestStream()
        stream.pass(try head("Transfer-Encoding: chunked"), limits: RequestHeadLimits())
        #expect(stream.remainingByteCount == nil)
        #expect(try pass("3\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\nGET", &stream) == "abcde")
        #expect(stream.isAtHead)
    }

    @Test("is nowhere once it is lost, and in a tunnel to the end")
    func last() throws {
        var stream = RequestStream()
        stream.becomeTunnel()
        #expect(try pass("abc", &stream) == "abc")
        stream.end()
        #expect(try pass("abc", &stream) == "")
        #expect(!stream.isAtHead)
    }

    private func pass(_ text: String, _ stream: inout RequestStream) throws -> String {
        var content = ""
        try Array(text.utf8).withUnsafeBytes { bytes in
            _ = try stream.passContent(bytes, atMost: 100) { content += String(decoding: $0, as: UTF8.self) }
        }
        return content
    }

    private func head(_ field: String) throws -> RequestHead {
        let head: RequestHead? = Array("PUT / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n".utf8).withUnsafeBytes { bytes in
            if case .complete(let head) = RequestHeadScanner().scan(bytes) { head } else { nil }
        }
        return try #require(head)
    }
}

@Suite("A request that is made of a head")
struct HeadRequestTests {
    @Test("has values by their bytes, also those that aren't UTF-8")
    func bytes() throws {
        let tag: [UInt8] = [0x22, 0xE9, 0x22]
        let head = Array("GET /x HTTP/1.1\r\nHost: a.example\r\nIf-None-Match: ".utf8) + tag + Array("\r\n\r\n".utf8)
        let request = try head.withUnsafeBytes { bytes in
            guard case .complete(let head) = RequestHeadScanner().scan(bytes) else { throw MalformedRequest.syntax }
            return try HTTPRequest(head, in: bytes)
        }
        #expect(request.path == "/x")
        #expect(request.authority == "a.example")
        #expect(request.headerFields[fields: .ifNoneMatch].first?.withUnsafeBytesOfValue(Array.init) == tag)
    }
}
