import HTTPTypes
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("The responses on a connection")
struct ResponseStreamScannerTests {
    @Test(
        "are read to their ends, however their bytes arrive",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 404\r\ncontent-length:0\r\n\r\n",
            "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 \r\nContent-Length: 3\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked \r\n\r\n3\r\nabc\r\n0a;x=\"y\"\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
            "HTTP/1.0 500 \u{FC}\r\nContent-Length: 000000000000000001\r\nX:\r\n\r\na",
        ]
    )
    func whole(_ response: String) throws {
        for count in [1, 2, 3, 7, response.utf8.count] {
            var stream = Stream()
            try stream.receive(response, count)
            #expect(stream.taken == Array(response.utf8))
            #expect(!stream.scanner.expectsMore)
            #expect(throws: MalformedResponse.unsolicited) { try stream.receive("H", 1) }
        }
    }

    @Test("end where the next one may begin, and not before")
    func end() throws {
        var stream = Stream()
        let response = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
        var count = 0
        try Array((response + response).utf8).withUnsafeBytes { bytes in
            while stream.scanner.expectsMore { _ = try stream.scanner.next(bytes, &count) }
        }
        #expect(count == response.utf8.count)
    }

    @Test(
        "to HEAD have no content, whatever their fields say",
        arguments: ["Content-Length: 3", "Transfer-Encoding: chunked"]
    )
    func head(_ field: String) throws {
        var stream = Stream(isHead: true)
        try stream.receive("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\(field)\r\n\r\n", 5)
        #expect(!stream.scanner.expectsMore)
    }

    @Test("end with the connection when they have no length")
    func untilClose() throws {
        var stream = Stream()
        try stream.receive("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\nHTTP/1.1 000\n\0", 4)
        #expect(stream.scanner.expectsMore)
        #expect(stream.taken.suffix(2) == [10, 0])
    }

    @Test(
        "are refused when they aren't well-formed, however their bytes arrive",
        arguments: [
            ("HTTP/1.1 000 X\r\nContent-Length: 3\r\n\r\nabc", .status), ("HTTP/1.1 099 X\r\n\r\n", .status),
            ("HTTP/1.1 600 X\r\n\r\n", .status), ("HTTP/1.1 999 X\r\n\r\n", .status),
            ("HTTP/1.1 2x0 X\r\n\r\n", .status),
            ("HTTP/1.1 101 X\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\n", .status), ("HTTP/1.1 20\r\n\r\n", .syntax),
            ("HTTP/1.1 2000\r\n\r\n", .syntax), ("HTTP/1.1  200\r\n\r\n", .syntax),
            ("HTTP/2.0 200 OK\r\n\r\n", .syntax),
            ("HTTP/1.2 200 OK\r\n\r\n", .syntax), ("ICY 200 OK\r\n\r\n", .syntax),
            ("HTTP/1.1 200 O\0K\r\n\r\n", .syntax),
            ("\r\nHTTP/1.1 200 OK\r\n\r\n", .syntax), ("HTTP/1.1 200 OK\n\n", .syntax), ("SSH-2.0", .syntax),
            (ok("X : y"), .syntax), (ok(" X: y"), .syntax), (ok("X: a\r\n b"), .syntax), (ok(": y"), .syntax),
            (ok("X"), .syntax), (ok("X: a\rb"), .syntax), (ok("X: a\u{1}"), .syntax), (ok("\u{FC}: a"), .syntax),
            (ok("Content-Length: 1\r\nContent-Length: 1"), .framing), (ok("Content-Length: 1, 1"), .framing),
            (ok("Content-Length: -1"), .framing), (ok("Content-Length: +1"), .framing),
            (ok("Content-Length:"), .framing),
            (ok("Content-Length: 9223372036854775808"), .framing), (ok("Content-Length: 0x1"), .framing),
            (ok("Content-Length: 1\r\nTransfer-Encoding: chunked"), .framing),
            (ok("Transfer-Encoding: chunked\r\nContent-Length: 1"), .framing),
            (ok("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), .framing),
            ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .framing),
            (ok("Transfer-Encoding: br, chunked"), .transferCoding), (ok("Transfer-Encoding: gzip"), .transferCoding),
            (ok("Transfer-Encoding: chunked, gzip"), .transferCoding),
            (ok("Transfer-Encoding: gzip, gzip, chunked"), .transferCoding),
            (ok("Transfer-Encoding: ,chunked"), .transferCoding),
            (ok("Transfer-Encoding: gzip;q=1, chunked"), .transferCoding),
            (ok("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked"), .transferCoding),
            (ok("Transfer-Encoding: identity"), .transferCoding),
            (ok("Transfer-Encoding:"), .transferCoding), (ok("Transfer-Encoding: chunked, chunked"), .transferCoding),
            ("HTTP/1.1 103 X\r\nContent-Length: 3\r\n\r\n", .interim), ("HTTP/1.1 100 X\r\n\r\nabc\r\n", .syntax),
            ("HTTP/1.1 100 X\r\nTransfer-Encoding: chunked\r\n\r\n", .interim),
            (chunks("\r\n"), .chunk), (chunks("x\r\n"), .chunk), (chunks("-1\r\n"), .chunk), (chunks("1 \r\n"), .chunk),
            (chunks("1\n"), .chunk), (chunks("1\r\nab\r\n"), .chunk), (chunks("1\r\na\n"), .chunk),
            (chunks("7fffffffffffffff\r\n"), .chunk), (chunks("0000000000000001\r\n"), .chunk),
            (chunks("1;a\0\r\n"), .chunk),
            (chunks("0\r\nContent-Length: 1\r\n\r\n"), .framing), (chunks("0\r\nX\r\n\r\n"), .syntax),
            (chunks("0\r\nTransfer-Encoding: chunked\r\n\r\n"), .framing),
        ] as [(String, MalformedResponse)]
    )
    func malformed(_ response: String, _ problem: MalformedResponse) {
        for count in [1, 3, response.utf8.count] {
            var stream = Stream()
            #expect(throws: problem) { try stream.receive(response, count) }
        }
    }

    @Test("are reported with their heads, content and trailers, and with the bytes of their values")
    func events() throws {
        let response =
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 F\u{FC}r dich\r\nETag: \"\u{E9}\"\r\n"
            + "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\nX: \u{E9}\r\n\r\n"
        let bytes = response.unicodeScalars.map { UInt8($0.value) }
        for count in [1, 5, bytes.count] {
            var stream = Stream()
            try stream.receive(bytes, count)
            #expect(stream.interims.map(\.status.code) == [103])
            #expect(stream.interims.first?.headerFields.first?.value == "</a>")
            let head = try #require(stream.head)
            #expect(head.response.status.reasonPhrase == "F\u{FC}r dich")
            #expect(head.transferCoding == .gzip)
            #expect(head.keepsConnection)
            for fields in [head.response.headerFields, stream.trailers] {
                let value = fields.first.map { $0.withUnsafeBytesOfValue { Array($0.filter { $0 != 0x22 }) } }
                #expect(value == [0xE9])
            }
            #expect(stream.content == Array("abc".utf8))
        }
    }

    @Test(
        "say whether the connection can be used again",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x, Close\r\n\r\n", false),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\n\r\n", false), ("HTTP/1.1 204 X\r\n\r\n", true),
        ]
    )
    func persistence(_ response: String, _ isKept: Bool) throws {
        var stream = Stream()
        try stream.receive(response, 9)
        #expect(stream.head?.keepsConnection == isKept)
    }

    @Test("switch protocols if that is asked for; what follows is content")
    func upgrade() throws {
        var stream = Stream(mayUpgrade: true)
        try stream.receive("HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\nHTTP/1.1 999\n\0", 7)
        #expect(stream.head?.response.status.code == 101)
        #expect(stream.content == Array("HTTP/1.1 999\n\0".utf8))
        #expect(stream.scanner.endsWithConnection)
    }

    @Test("without a request are refused")
    func unsolicited() {
        var scanner = ResponseStreamScanner()
        #expect(throws: MalformedResponse.unsolicited) {
            var count = 0
            _ = try Array("HTTP/1.1 200 OK\r\n\r\n".utf8).withUnsafeBytes { try scanner.next($0, &count) }
        }
    }

    @Test("are preceded by at most sixteen interim ones")
    func interims() throws {
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        var stream = Stream()
        try stream.receive(String(repeating: interim, count: 16), 50)
        #expect(throws: MalformedResponse.interim) { try stream.receive(interim, 50) }
    }

    @Test("may have lines, heads, trailers and fields up to the limits, and no more")
    func limits() throws {
        let line = "X: " + String(repeating: "a", count: 1_000) + "\r\n"
        var limits = ResponseStreamLimits()
        limits.lineByteCount = line.utf8.count
        limits.headByteCount = 17 + 3 * line.utf8.count + 2
        limits.fieldCount = 3
        let end = "HTTP/1.1 200 OK\r\n" + line + line
        for (rest, isTaken) in [
            (line, true), ("a" + line, false), (line + "\r\n", true), ("\r\n", true), ("XX: a\r\n\r\n", true),
            (line + "X: y\r\n", false), ("X: y\r\nX: y\r\n", false),
        ] {
            var stream = Stream(limits)
            #expect(((try? stream.receive(end + rest, 100)) != nil) == isTaken, "\(rest.prefix(10))")
        }
        var endless = Stream(limits)
        try endless.receive(end, 100)
        #expect(throws: MalformedResponse.tooLong) { try endless.receive(String(repeating: "a", count: 2_000), 7) }
        var trailers = Stream(limits)
        try trailers.receive(chunks("0\r\n"), 100)
        #expect(throws: MalformedResponse.tooLong) { try trailers.receive(line + line + line, 100) }
    }

    @Test("have chunk extensions of a bounded length, alone and together, unless the content is longer")
    func extensions() throws {
        var limits = ResponseStreamLimits()
        limits.chunkLineByteCount = 100
        limits.chunkExtensionByteCount = 1_000
        var stream = Stream(limits)
        #expect(throws: MalformedResponse.chunk) {
            try stream.receive(chunks("1;" + String(repeating: "a", count: 100)), 9)
        }
        let chunk = "1;" + String(repeating: "a", count: 48) + "\r\na\r\n"
        stream = Stream(limits)
        // Each has 49 bytes of extension and 1 of content.
        try stream.receive(chunks(String(repeating: chunk, count: 20)), 64)
        #expect(throws: MalformedResponse.chunk) { try stream.receive(String(repeating: chunk, count: 2), 64) }
        stream = Stream(limits)
        let even = "31;" + String(repeating: "a", count: 48) + "\r\n" + String(repeating: "b", count: 49) + "\r\n"
        try stream.receive(chunks(String(repeating: even, count: 1_000)), 512)
    }

    @Test("cost time in proportion to their bytes when these arrive one by one")
    func drip() throws {
        var limits = ResponseStreamLimits()
        limits.lineByteCount = 1 << 20
        limits.headByteCount = 1 << 20
        var scanner = ResponseStreamScanner(limits: limits)
        scanner.expectResponse(toHead: false)
        let bytes = Array(("HTTP/1.1 200 " + String(repeating: "a", count: 1 << 19)).utf8)
        // Scanned from the beginning each time, it would take 2^37 steps.
        try bytes.withUnsafeBytes { all in
            var taken = 0
            for count in 1...all.count { _ = try scanner.next(UnsafeRawBufferPointer(rebasing: all[..<count]), &taken) }
        }
        #expect(scanner.expectsMore)
    }
}

private func ok(_ fields: String) -> String { "HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n" }
private func chunks(_ chunks: String) -> String { ok("Transfer-Encoding: chunked") + chunks }

/// Passes bytes to a scanner as a connection would.
private struct Stream {
    var scanner: ResponseStreamScanner
    var taken: [UInt8] = []
    private(set) var interims: [HTTPResponse] = []
    private(set) var head: ResponseHead?
    private(set) var content: [UInt8] = []
    private(set) var trailers: HTTPFields = [:]
    private var waiting: [UInt8] = []

    init(_ limits: ResponseStreamLimits = ResponseStreamLimits(), isHead: Bool = false, mayUpgrade: Bool = false) {
        scanner = ResponseStreamScanner(limits: limits)
        scanner.expectResponse(toHead: isHead, mayUpgrade: mayUpgrade)
    }

    /// - Parameter count: How many bytes arrive at once.
    mutating func receive(_ text: String, _ count: Int) throws {
        try receive(Array(text.utf8), count)
    }

    mutating func receive(_ bytes: [UInt8], _ count: Int) throws {
        for start in stride(from: 0, to: bytes.count, by: count) {
            waiting += bytes[start..<min(start + count, bytes.count)]
            let bytes = waiting
            var count = 0
            while let event = try bytes.withUnsafeBytes({ try scanner.next($0, &count) }) {
                switch event {
                case .interim(let response): interims.append(response)
                case .head(let response): head = response
                case .content(let range): content += bytes[range]
                case .end(let fields): trailers = fields
                }
            }
            taken += waiting.prefix(count)
            waiting.removeFirst(count)
        }
    }
}
