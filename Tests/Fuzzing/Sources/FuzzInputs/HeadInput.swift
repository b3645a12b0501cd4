import BundleServing
import HTTPTypes

/// Small, so that random bytes reach them.
private let scanner = {
    var limits = RequestHeadLimits()
    limits.byteCount = 2_048
    limits.targetByteCount = 256
    limits.fieldCount = 16
    return RequestHeadScanner(limits: limits)
}()

/// A head is found, or refused, as a slow reader of RFC 9112 has it, however many of its bytes come at once and whatever
/// follows them.
enum HeadInput {
    static func isTaken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let bytes = Array(bytes)
        let reading = ReferenceHead.read(bytes, scanner.limits)
        switch (scan(bytes), reading) {
        case (.complete(let head), .complete(let expected)):
            compare(head, expected, bytes)
            checkCuts(head, bytes)
            return true
        case (.incomplete, .unfinished), (.malformed, .malformed): return false
        case (.malformed, .unfinished): checkThatNothingCompletes(bytes)
        case (.http2, _): precondition(bytes.starts(with: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8), "not a preface")
        // The beginning of a preface has an empty line too, before it is all there.
        case (.incomplete, .malformed): precondition("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8.starts(with: bytes))
        case (let result, _): preconditionFailure("\(result), but \(reading) by the grammar")
        }
        return false
    }

    private static func scan(_ bytes: some Sequence<UInt8>) -> RequestHeadScanner.Result {
        Array(bytes).withUnsafeBytes(scanner.scan)
    }

    private static func compare(_ head: RequestHead, _ expected: ReferenceHead, _ bytes: [UInt8]) {
        precondition(head.byteCount == expected.byteCount, "another length")
        let method: RequestView.Method =
            expected.method == Array("GET".utf8) ? .get : expected.method == Array("HEAD".utf8) ? .head : .other
        precondition(head.method == method, "another method")
        precondition(Array(bytes[head.target]) == expected.target, "another target")
        precondition(head.minorVersion == expected.minorVersion, "another version")
        precondition(head.framing == expected.framing, "another length of the content")
        precondition(head.closesConnection == expected.isLast, "another end")
        precondition(!head.isPlain || expected.isPlain, "plain, with what could change the response")
        for (value, name) in values(head) {
            precondition(value.map { Array(bytes[$0]) } == expected.values(name).last, "another \(name)")
        }
    }

    private static func values(_ head: RequestHead) -> [(Range<Int>?, String)] {
        [(head.host, "host"), (head.referer, "referer"), (head.userAgent, "user-agent")]
            + DecidingField.allCases.map { (head.fields[$0], $0.name.canonicalName) }
    }

    /// Every beginning waits for more, and the head alone says the same as with what follows it.
    private static func checkCuts(_ head: RequestHead, _ bytes: [UInt8]) {
        for count in stride(from: 0, to: head.byteCount, by: max(1, head.byteCount / 64)) + [head.byteCount - 1] {
            guard case .incomplete = scan(bytes.prefix(count)) else {
                preconditionFailure("\(count) bytes are no beginning")
            }
        }
        guard case .complete(let alone) = scan(bytes.prefix(head.byteCount)) else {
            preconditionFailure("what follows a head completes it")
        }
        precondition("\(alone)" == "\(head)", "what follows a head changes it")
    }

    /// What is refused before it is all there is no beginning of a head.
    private static func checkThatNothingCompletes(_ bytes: [UInt8]) {
        let ends = [
            "", "\n", "\r\n", "\r\n\r\n", "\n\r\n", ":\r\n\r\n", "\r\nHost: a\r\n\r\n", "\nHost: a\r\n\r\n",
            " / HTTP/1.1\r\nHost: a\r\n\r\n", " HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1\r\nHost: a\r\n\r\n",
        ]
        for end in ends {
            if case .complete = ReferenceHead.read(bytes + Array(end.utf8), scanner.limits) {
                preconditionFailure("refused, but \(end.debugDescription) completes it")
            }
        }
    }
}

extension ReferenceHead {
    /// Whether the prepared response to a GET for the target is the response.
    fileprivate var isPlain: Bool {
        let conditions = [
            "range", "upgrade", "if-match", "if-range", "origin", "expect", "if-modified-since", "if-unmodified-since",
            "available-dictionary",
        ]
        let single = ["accept", "accept-encoding", "cookie", "if-none-match", "sec-fetch-dest", "sec-fetch-mode"]
        return minorVersion == 1 && target.first == UInt8(ascii: "/") && [.some(.none), .length(0)].contains(framing)
            && conditions.allSatisfy { values($0).isEmpty } && single.allSatisfy { values($0).count <= 1 }
            && connectionOptions.allSatisfy { ["close", "keep-alive"].contains($0) }
            && ["GET", "HEAD"].contains(String(decoding: method, as: UTF8.self))
    }
}
