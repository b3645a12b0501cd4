import BundleStore

/// Parses the lines of a response's head, to determine its framing (RFC 9112 §4 to §6).
struct ResponseHeadReader: Sendable {
    /// How the content ends (§6.3).
    enum Framing: Sendable, Equatable {
        /// There is none.
        case none
        /// After this many bytes.
        case length(Int)
        /// With the last chunk.
        case chunked
        /// With the connection.
        case untilClose
    }

    /// Longer ones have no use, and could overflow.
    private static let maximumLengthDigits = 18

    /// Whether the request is a HEAD.
    var isForHead = false
    private var status = 0
    private var minorVersion = 0
    private var length: Int?
    private var isChunked = false

    init(isForHead: Bool = false) {
        self.isForHead = isForHead
    }

    /// Whether another response follows (RFC 9110 §15.2).
    var isInterim: Bool { status < 200 }

    /// `HTTP/1.1 200 OK`. Without a reason phrase, the space after the status may be missing: many servers omit it.
    mutating func takeStatusLine(_ line: UnsafeRawBufferPointer) throws(MalformedResponse) {
        guard line.count >= 12, line.starts(with: "HTTP/1.0 ".utf8) || line.starts(with: "HTTP/1.1 ".utf8),
            line.count == 12 || line[12] == HeadBytes.space, HeadBytes.isFieldText(line, 12..<line.count)
        else { throw .syntax }
        minorVersion = line[7] == UInt8(ascii: "0") ? 0 : 1
        let digits = line[9..<12]
        guard digits.allSatisfy(ASCII.isDigit) else { throw .status }
        status = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard (100...599).contains(status), status != 101 else { throw .status }
    }

    mutating func takeField(_ line: UnsafeRawBufferPointer) throws(MalformedResponse) {
        let (name, value) = try Self.field(line)
        switch RequestField(name) {
        case .contentLength: try takeLength(value)
        case .transferEncoding: try takeTransferCoding(value)
        default: break
        }
    }

    /// A trailer field must not state the length of the content (RFC 9110 §6.5.1).
    func takeTrailer(_ line: UnsafeRawBufferPointer) throws(MalformedResponse) {
        switch RequestField(try Self.field(line).name) {
        case .contentLength, .transferEncoding: throw .framing
        default: break
        }
    }

    /// The framing, which only the complete head determines.
    func framing() throws(MalformedResponse) -> Framing {
        if isInterim {
            guard !isChunked, (length ?? 0) == 0 else { throw .interim }
            return .none
        }
        if isForHead || status == 204 || status == 304 { return .none }
        if isChunked { return .chunked }
        return length.map(Framing.length) ?? .untilClose
    }

    private mutating func takeLength(_ value: UnsafeRawBufferPointer) throws(MalformedResponse) {
        // A repeated length could be merged into one (§6.3), but other receivers may read it differently.
        guard length == nil, !isChunked, (1...Self.maximumLengthDigits).contains(value.count),
            value.allSatisfy(ASCII.isDigit)
        else { throw .framing }
        length = value.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private mutating func takeTransferCoding(_ value: UnsafeRawBufferPointer) throws(MalformedResponse) {
        // HTTP/1.0 has no chunks, and an additional length is an attempt at smuggling (§6.1).
        guard !isChunked, length == nil, minorVersion == 1 else { throw .framing }
        guard value.isName("chunked") else { throw .transferCoding }
        isChunked = true
    }

    /// A field's name, and its value without the white space around it (§5). White space before the name or the colon,
    /// and folded lines, are refused (§5.1, §5.2).
    private static func field(
        _ line: UnsafeRawBufferPointer
    ) throws(MalformedResponse) -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let name = line.prefix(while: HTTPSyntax.isTokenByte)
        guard !name.isEmpty, name.endIndex < line.count, line[name.endIndex] == UInt8(ascii: ":"),
            HeadBytes.isFieldText(line, name.endIndex..<line.count)
        else { throw .syntax }
        let value = line[(name.endIndex + 1)...].trimmingBlanks
        return (UnsafeRawBufferPointer(rebasing: name), UnsafeRawBufferPointer(rebasing: value))
    }
}
