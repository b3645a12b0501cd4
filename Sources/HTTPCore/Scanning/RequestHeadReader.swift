import BundleModel

/// Parses a request's head line by line: the steps of one scan.
struct RequestHeadReader {
    /// The head as far as it has been parsed.
    private(set) var head = RequestHead()

    private let bytes: UnsafeRawBufferPointer
    private let limits: RequestHeadLimits
    private var position = 0
    private var fieldCount = 0
    private var hostCount = 0
    private var hasLength = false
    private var hasTransferCoding = false
    /// Whether there is a field that the view can't express.
    private var isSpecial = false

    init(_ bytes: UnsafeRawBufferPointer, limits: RequestHeadLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// Returns whether the head is complete.
    mutating func read() throws(MalformedRequest) -> Bool {
        skipEmptyLines()
        guard try readRequestLine() else { return try isStillShort() }
        while true {
            switch try readField() {
            case .field: continue
            case .end: break
            case nil: return try isStillShort()
            }
            guard position <= limits.byteCount else { throw .tooLong }
            try finish()
            return true
        }
    }

    /// A client may send an empty line before its request, as old ones did after a form (RFC 9112 §2.2). They count as
    /// a part of the head: otherwise their number would be unlimited.
    private mutating func skipEmptyLines() {
        while isEmptyLine(at: position) { position += 2 }
    }

    private func isEmptyLine(at index: Int) -> Bool {
        index + 1 < bytes.count && bytes[index] == HeadBytes.carriageReturn && bytes[index + 1] == HeadBytes.lineFeed
    }

    /// Never returns true: more bytes are needed. Throws if there are too many already.
    private func isStillShort() throws(MalformedRequest) -> Bool {
        guard bytes.count < limits.byteCount else { throw .tooLong }
        return false
    }

    /// The next line without its end, which must be CR and LF; nil when it is incomplete.
    @inline(__always)
    private func line() throws(MalformedRequest) -> Range<Int>? {
        guard let end = HeadBytes.lineFeed(in: bytes, from: position) else { return nil }
        guard end > position, bytes[end - 1] == HeadBytes.carriageReturn else { throw .syntax }
        return position..<end - 1
    }
}

// MARK: - The request line (RFC 9112 §3)

extension RequestHeadReader {
    /// ` HTTP/1.1`
    private static let versionByteCount = 9
    /// How much longer than the longest target a request line may be: room for a method, the version and the line's
    /// end.
    private static let methodAllowance = 64

    private mutating func readRequestLine() throws(MalformedRequest) -> Bool {
        guard position < bytes.count else { return false }
        let first = bytes[position]
        guard HTTPSyntax.isTokenByte(first) || first == HeadBytes.carriageReturn else { throw .syntax }
        let found = try line()
        // The same for a complete line as for an incomplete one, however its bytes arrive.
        guard
            (found.map { $0.upperBound + 1 } ?? bytes.count) - position <= limits.targetByteCount + Self.methodAllowance
        else {
            throw .targetTooLong
        }
        guard let line = found else { return false }
        let target = try readMethod(line)..<(line.upperBound - Self.versionByteCount)
        try readVersion(line)
        guard !target.isEmpty else { throw .syntax }
        guard target.count <= limits.targetByteCount else { throw .targetTooLong }
        guard HeadBytes.isTarget(bytes, target) else { throw .syntax }
        head.target = target
        position = line.upperBound + 2
        return true
    }

    /// Returns the position where the target begins.
    private mutating func readMethod(_ line: Range<Int>) throws(MalformedRequest) -> Int {
        var end = line.lowerBound
        while end < line.upperBound, HTTPSyntax.isTokenByte(bytes[end]) { end += 1 }
        guard end > line.lowerBound, end + 1 + Self.versionByteCount <= line.upperBound, bytes[end] == HeadBytes.space
        else { throw .syntax }
        head.methodToken = line.lowerBound..<end
        if isExactly(line.lowerBound..<end, "GET") {
            head.method = .get
        } else if isExactly(line.lowerBound..<end, "HEAD") {
            head.method = .head
        } else if isExactly(line.lowerBound..<end, "CONNECT") {
            // Data for another server follows (RFC 9110 §9.3.6).
            head.closesConnection = true
        }
        return end + 1
    }

    private mutating func readVersion(_ line: Range<Int>) throws(MalformedRequest) {
        let start = line.upperBound - Self.versionByteCount
        let (major, minor) = (bytes[start + 6], bytes[start + 8])
        guard isExactly(start..<start + 6, " HTTP/"), bytes[start + 7] == UInt8(ascii: "."),
            ASCII.isDigit(major), ASCII.isDigit(minor)
        else { throw .syntax }
        guard major == UInt8(ascii: "1") else { throw .version }
        // A higher minor version is treated as the highest supported one (RFC 9110 §2.5).
        head.minorVersion = minor == UInt8(ascii: "0") ? 0 : 1
    }
}

// MARK: - Fields (RFC 9112 §5)

extension RequestHeadReader {
    private enum Line {
        case field
        case end
    }

    /// Returns nil when the line is incomplete.
    @inline(__always)
    private mutating func readField() throws(MalformedRequest) -> Line? {
        guard let line = try line() else { return nil }
        defer { position = line.upperBound + 2 }
        guard !line.isEmpty else {
            head.byteCount = line.upperBound + 2
            return .end
        }
        fieldCount += 1
        guard fieldCount <= limits.fieldCount else { throw .tooLong }
        // White space before the name or the colon, and a folded line, are also refused here (§5.1, §5.2).
        var colon = line.lowerBound
        while colon < line.upperBound, HTTPSyntax.isTokenByte(bytes[colon]) { colon += 1 }
        guard colon > line.lowerBound, colon < line.upperBound, bytes[colon] == UInt8(ascii: ":") else { throw .syntax }
        let value = HeadBytes.trimmed(colon + 1..<line.upperBound, of: bytes)
        guard HeadBytes.isFieldText(bytes, value) else { throw .syntax }
        try take(RequestField(UnsafeRawBufferPointer(rebasing: bytes[line.lowerBound..<colon])), value)
        return .field
    }

    @inline(__always)
    private mutating func take(_ field: RequestField, _ value: Range<Int>) throws(MalformedRequest) {
        switch field {
        case .other: break
        case .host:
            hostCount += 1
            head.host = value
        case .deciding(let field):
            // Several lines of one name form a list (RFC 9110 §5.3), which isn't combined here.
            if head.fields.contains(field) { isSpecial = true }
            head.fields[field] = value
        case .referer: head.referer = value
        case .userAgent: head.userAgent = value
        case .connection: takeConnection(value)
        case .contentLength: try takeLength(value)
        case .transferEncoding: try takeTransferCoding(value)
        case .upgrade:
            // Another protocol may follow immediately (RFC 9110 §7.8), which isn't supported.
            head.closesConnection = true
            isSpecial = true
        // A client that expects 100 (Continue) may wait with its content (RFC 9110 §10.1.1).
        case .expect:
            head.expectsContinue = true
            isSpecial = true
        }
    }

    private mutating func takeConnection(_ value: Range<Int>) {
        // The value that every browser sends needs no list.
        guard !isName(value, "keep-alive") else { return }
        for option in bytes[value].split(separator: UInt8(ascii: ",")) {
            let option = HeadBytes.trimmed(option.startIndex..<option.endIndex, of: bytes)
            if isName(option, "close") {
                head.closesConnection = true
            } else if !isName(option, "keep-alive") {
                isSpecial = true
            }
        }
    }

    @inline(__always)
    private func isExactly(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        for index in 0..<range.count where bytes[range.lowerBound + index] != text.utf8Start[index] { return false }
        return true
    }

    private func isName(_ range: Range<Int>, _ name: StaticString) -> Bool {
        UnsafeRawBufferPointer(rebasing: bytes[range]).isName(name)
    }
}

// MARK: - The length of the content (RFC 9112 §6)

extension RequestHeadReader {
    /// Larger numbers have no use, and could overflow.
    private static let maximumLengthDigits = 18

    private mutating func takeLength(_ value: Range<Int>) throws(MalformedRequest) {
        // A repeated length could be merged into one (§6.3), but other receivers may read it differently.
        guard !hasLength, (1...Self.maximumLengthDigits).contains(value.count),
            bytes[value].allSatisfy(ASCII.isDigit)
        else { throw .framing }
        hasLength = true
        head.framing = .length(bytes[value].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
    }

    private mutating func takeTransferCoding(_ value: Range<Int>) throws(MalformedRequest) {
        guard !hasTransferCoding else { throw .framing }
        hasTransferCoding = true
        guard !isName(value, "chunked") else { return }
        let lastComma = bytes[value].lastIndex(of: UInt8(ascii: ","))
        let last = HeadBytes.trimmed((lastComma.map { $0 + 1 } ?? value.lowerBound)..<value.upperBound, of: bytes)
        // Unless chunked is the last coding, the end of a request's content is unknown (§6.3).
        throw isName(last, "chunked") ? .transferCoding : .framing
    }

    /// The checks that need the complete head.
    private mutating func finish() throws(MalformedRequest) {
        guard hostCount == 1 || hostCount == 0 && head.minorVersion == 0 else { throw .host }
        if hasTransferCoding {
            // HTTP/1.0 has no chunks, and an additional length is an attempt at smuggling (§6.1).
            guard !hasLength, head.minorVersion == 1 else { throw .framing }
            head.framing = .chunked
        }
        head.isPlain =
            head.method != .other && head.minorVersion == 1 && bytes[head.target.lowerBound] == UInt8(ascii: "/")
            && (head.framing == .none || head.framing == .length(0)) && !isSpecial
    }
}
