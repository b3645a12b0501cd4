import BundleServing
import Testing

@testable import ServerCore

@Suite("The position in a connection's input")
struct RequestStreamTests {
    @Test("is after content of known length once that many bytes have passed")
    func length() throws {
        var stream = RequestStream()
        #expect(stream.passContent(10) == 0)
        stream.pass(try head("Content-Length: 5"))
        #expect(!stream.isAtHead)
        #expect(stream.passContent(3) == 3)
        #expect(!stream.isAtHead)
        #expect(stream.passContent(10) == 2)
        #expect(stream.isAtHead)
        stream.pass(try head("X: y"))
        #expect(stream.isAtHead)
        stream.pass(try head("Content-Length: 0"))
        #expect(stream.isAtHead)
    }

    @Test("stays in chunked content, which isn't parsed")
    func chunks() throws {
        var stream = RequestStream()
        stream.pass(try head("Transfer-Encoding: chunked"))
        #expect(stream.passContent(10) == 10)
        #expect(!stream.isAtHead)
    }

    private func head(_ field: String) throws -> RequestHead {
        let head: RequestHead? = Array("PUT / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n".utf8).withUnsafeBytes { bytes in
            if case .complete(let head) = RequestHeadScanner().scan(bytes) { head } else { nil }
        }
        return try #require(head)
    }
}
