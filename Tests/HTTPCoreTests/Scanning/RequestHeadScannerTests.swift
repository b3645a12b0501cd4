import BundleStore
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("The head of a request")
struct RequestHeadScannerTests {
    @Test("is found with all its parts")
    func whole() throws {
        let bytes = """
            GET /shop/app.js?v=1 HTTP/1.1\r
            Host: localhost:8080\r
            accept-ENCODING:  gzip, br \r
            If-None-Match: "abc"\r
            Cookie: a=b\r
            Connection: keep-alive\r
            \r

            """
        let head = try #require(scan(bytes + "GET /next").head)
        #expect(head.byteCount == bytes.utf8.count)
        #expect(head.method == .get)
        #expect(head.minorVersion == 1)
        #expect(text(head.target, of: bytes) == "/shop/app.js?v=1")
        #expect(text(head.host, of: bytes) == "localhost:8080")
        #expect(text(head.fields[.acceptEncoding], of: bytes) == "gzip, br")
        #expect(text(head.fields[.ifNoneMatch], of: bytes) == "\"abc\"")
        #expect(text(head.fields[.cookie], of: bytes) == "a=b")
        #expect(head.framing == .none)
        #expect(!head.closesConnection)
        #expect(head.isPlain)
    }

    @Test(
        "is incomplete, wherever it is cut",
        arguments: [
            "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n", "\r\n\r\nHEAD /a HTTP/1.0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
        ]
    )
    func cut(_ bytes: String) {
        for count in 0..<bytes.utf8.count {
            #expect(scan(bytes.utf8.prefix(count)).isIncomplete)
        }
        #expect(scan(bytes).head != nil)
    }

    @Test(
        "is plain when the view says all that could change the response",
        arguments: [
            ("GET / HTTP/1.1", "Accept: */*", true), ("HEAD / HTTP/1.1", "Sec-Fetch-Dest: image", true),
            ("GET / HTTP/1.1", "Content-Length: 0", true), ("GET / HTTP/1.1", "Connection: close", true),
            ("GET / HTTP/1.1", "Upgrade-Insecure-Requests: 1", true), ("GET / HTTP/1.0", "Accept: */*", false),
            ("POST / HTTP/1.1", "Accept: */*", false), ("OPTIONS * HTTP/1.1", "Accept: */*", false),
            ("GET http://a/ HTTP/1.1", "Accept: */*", false), ("get / HTTP/1.1", "Accept: */*", false),
            ("GET / HTTP/1.1", "Range: bytes=0-", true), ("GET / HTTP/1.1", "if-range: \"a\"", true),
            ("GET / HTTP/1.1", "If-Match: *", true), ("GET / HTTP/1.1", "Expect: 100-continue", false),
            ("GET / HTTP/1.1", "If-Modified-Since: x", true), ("GET / HTTP/1.1", "If-Unmodified-Since: x", true),
            ("GET / HTTP/1.1", "Origin: http://b", true), ("GET / HTTP/1.1", "Content-Length: 1", false),
            ("GET / HTTP/1.1", "Transfer-Encoding: chunked", false), ("GET / HTTP/1.1", "Upgrade: h2c", false),
            ("GET / HTTP/1.1", "Connection: upgrade", false), ("GET / HTTP/1.1", "Available-Dictionary: :a:", true),
            ("GET / HTTP/1.1", "Cookie: a\r\nCookie: b", false),
            ("GET / HTTP/1.1", "If-None-Match: *\r\nIf-None-Match: b", false),
        ]
    )
    func plain(_ line: String, _ fields: String, _ isPlain: Bool) throws {
        #expect(try #require(scan("\(line)\r\nHost: a\r\n\(fields)\r\n\r\n").head).isPlain == isPlain)
    }

    @Test(
        "ends the connection when Connection says so",
        arguments: [
            ("close", true), ("Close", true), ("keep-alive, close", true), ("keep-alive", false), ("closed", false),
        ]
    )
    func closing(_ value: String, _ closes: Bool) throws {
        #expect(
            try #require(scan("GET / HTTP/1.1\r\nHost: a\r\nConnection: \(value)\r\n\r\n").head).closesConnection
                == closes
        )
    }

    @Test("gives the length of the content")
    func framing() throws {
        #expect(
            try #require(scan("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0012\r\n\r\n").head).framing == .length(12)
        )
        #expect(
            try #require(scan("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n").head).framing
                == .chunked
        )
    }

    @Test("of HTTP/2 is its preface, however much of it has arrived")
    func http2() {
        let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        for count in 0..<preface.utf8.count { #expect(scan(preface.utf8.prefix(count)).isIncomplete) }
        if case .http2 = scan(preface + "\0") {} else { Issue.record("the preface wasn't found") }
        #expect(scan("PUT / HTTP/1.1\r\nHost: a\r\n\r\n").head != nil)
        #expect(scan("PRI * HTTP/2.0\r\n\r\nXX").problem == .version)
    }

    struct Malformed: Sendable, CustomTestStringConvertible {
        let section: String
        let bytes: String
        let problem: MalformedRequest

        init(_ section: String, _ bytes: String, _ problem: MalformedRequest) {
            (self.section, self.bytes, self.problem) = (section, bytes, problem)
        }

        var testDescription: String { "RFC \(section): \(bytes.debugDescription.prefix(80))" }
    }

    private static func fields(_ fields: String) -> String { "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n" }

    static let malformed = [
        Malformed("9112 §2.2, a bare line feed", "GET / HTTP/1.1\nHost: a\n\n", .syntax),
        Malformed("9112 §2.2, a bare line feed after a field", "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", .syntax),
        Malformed("9112 §2.2, a bare line feed at the end", "GET / HTTP/1.1\r\nHost: a\r\n\n", .syntax),
        Malformed("9112 §2.2, a bare carriage return", fields("X: a\rb"), .syntax),
        Malformed("9112 §2.2, white space before the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", .syntax),
        Malformed("9110 §5.5, NUL in a value", fields("X: a\0b"), .syntax),
        Malformed("9110 §5.5, a control character behind eight bytes", fields("X: abcdefgh\u{1}"), .syntax),
        Malformed("9110 §5.5, DEL", fields("X: abcdefgh\u{7F}abcdefgh"), .syntax),
        Malformed("9112 §5.1, space before the colon", fields("X : y"), .syntax),
        Malformed("9112 §5.1, no name", fields(": y"), .syntax),
        Malformed("9112 §5.1, no colon", fields("X"), .syntax),
        Malformed("9110 §5.1, a name that is no token", fields("X(y): z"), .syntax),
        Malformed("9110 §5.1, a name outside ASCII", fields("Xé: z"), .syntax),
        Malformed("9112 §5.2, a folded line", fields("X: a\r\n b"), .syntax),
        Malformed("9112 §5.2, a line folded with a tab", fields("X: a\r\n\tContent-Length: 5"), .syntax),
        Malformed("9112 §3, two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .syntax),
        Malformed("9112 §3, a space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", .syntax),
        Malformed("9112 §3, a tab", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", .syntax),
        Malformed("9112 §3, a space at the end", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .syntax),
        Malformed("9112 §3, no target", "GET HTTP/1.1\r\nHost: a\r\n\r\n", .syntax),
        Malformed("9112 §3, no version", "GET /\r\n\r\n", .syntax),
        Malformed("9112 §3.1, no method", " / HTTP/1.1\r\nHost: a\r\n\r\n", .syntax),
        Malformed("9112 §3.1, a method that is no token", "G@T / HTTP/1.1\r\nHost: a\r\n\r\n", .syntax),
        Malformed("9112 §3.2, NUL in the target", "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n", .syntax),
        Malformed("9112 §3.2, no Host", "GET / HTTP/1.1\r\n\r\n", .host),
        Malformed("9112 §3.2, two Hosts", fields("Host: a"), .host),
        Malformed("9112 §2.3, another name", "GET / HTTX/1.1\r\nHost: a\r\n\r\n", .syntax),
        Malformed("9112 §2.3, small letters", "GET / http/1.1\r\nHost: a\r\n\r\n", .syntax),
        Malformed("9110 §15.6.6, HTTP/2", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", .version),
        Malformed("9110 §15.6.6, HTTP/0.9", "GET / HTTP/0.9\r\n\r\n", .version),
        Malformed("9112 §6.3, two lengths", fields("Content-Length: 1\r\nContent-Length: 2"), .framing),
        Malformed("9112 §6.3, a length twice", fields("Content-Length: 1\r\nContent-Length: 1"), .framing),
        Malformed("9112 §6.3, a list of lengths", fields("Content-Length: 1, 1"), .framing),
        Malformed("9112 §6.2, a sign", fields("Content-Length: +1"), .framing),
        Malformed("9112 §6.2, hexadecimal", fields("Content-Length: 0x1"), .framing),
        Malformed("9112 §6.2, no number", fields("Content-Length:"), .framing),
        Malformed("9112 §6.2, a number beyond all", fields("Content-Length: 99999999999999999999"), .framing),
        Malformed(
            "9112 §6.1, chunks and a length",
            fields("Transfer-Encoding: chunked\r\nContent-Length: 1"),
            .framing
        ),
        Malformed(
            "9112 §6.1, a length and chunks",
            fields("Content-Length: 1\r\nTransfer-Encoding: chunked"),
            .framing
        ),
        Malformed(
            "9112 §6.1, chunks twice",
            fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
            .framing
        ),
        Malformed("9112 §6.1, in HTTP/1.0", "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .framing),
        Malformed("9112 §6.1, no chunks at last", fields("Transfer-Encoding: chunked, identity"), .framing),
        Malformed("9112 §6.1, a hidden chunked", fields("Transfer-Encoding: xchunked"), .framing),
        Malformed("9112 §6.1, another coding", fields("Transfer-Encoding: gzip, chunked"), .transferCoding),
    ]

    @Test("is refused when it is ambiguous", arguments: malformed)
    func refused(_ malformed: Malformed) {
        #expect(scan(malformed.bytes).problem == malformed.problem)
    }

    @Test("is refused when it is too long, as soon as that is known")
    func limits() {
        var limits = RequestHeadLimits()
        limits.byteCount = 200
        limits.targetByteCount = 100
        limits.fieldCount = 3
        let long = String(repeating: "x", count: 101)
        #expect(scan("GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n", limits).problem == .targetTooLong)
        #expect(scan("GET /\(long)\(long)", limits).problem == .targetTooLong)
        #expect(scan("GET / HTTP/1.1\r\nHost: a\r\nX: \(long)\(long)\r\n\r\n", limits).problem == .tooLong)
        #expect(scan("GET / HTTP/1.1\r\nHost: a\r\nX: \(long)\(long)", limits).problem == .tooLong)
        #expect(scan("GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 2\r\n\r\n", limits).head != nil)
        #expect(scan("GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n", limits).problem == .tooLong)
        let emptyLines = String(repeating: "\r\n", count: 100)
        #expect(scan(emptyLines.utf8.dropLast(), limits).isIncomplete)
        #expect(scan(emptyLines, limits).problem == .tooLong)
        #expect(scan(emptyLines + "GET / HTTP/1.1\r\nHost: a\r\n\r\n", limits).problem == .tooLong)
    }

    @Test("is refused or accepted the same, however its bytes arrive", arguments: 50...70)
    func longMethod(_ methodByteCount: Int) {
        var limits = RequestHeadLimits()
        limits.targetByteCount = 10
        let method = String(repeating: "X", count: methodByteCount)
        let bytes = Array("\(method) /23456789 HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let isRefused = scan(bytes, limits).problem == .targetTooLong
        let isRefusedEarly = bytes.indices.contains { scan(bytes.prefix($0), limits).problem == .targetTooLong }
        #expect(isRefused == isRefusedEarly)
    }
}

private func scan(_ text: String, _ limits: RequestHeadLimits = RequestHeadLimits()) -> RequestHeadScanner.Result {
    scan(text.utf8, limits)
}

/// Line ends are two bytes and one character.
private func scan(
    _ bytes: some Sequence<UInt8>,
    _ limits: RequestHeadLimits = RequestHeadLimits()
) -> RequestHeadScanner.Result {
    Array(bytes).withUnsafeBytes { RequestHeadScanner(limits: limits).scan($0) }
}

private func text(_ range: Range<Int>?, of bytes: String) -> String? {
    range.map { String(decoding: Array(bytes.utf8)[$0], as: UTF8.self) }
}

extension RequestHeadScanner.Result {
    fileprivate var head: RequestHead? { if case .complete(let head) = self { head } else { nil } }
    fileprivate var isIncomplete: Bool { if case .incomplete = self { true } else { false } }
    fileprivate var problem: MalformedRequest? { if case .malformed(let problem) = self { problem } else { nil } }
}
