import BundleModel
import HTTPTypes

/// Parses the lines of a response's head, and determines its framing (RFC 9112 §4 to §6).
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
    let isForHead: Bool
    /// Whether the request asks for another protocol.
    let mayUpgrade: Bool
    /// The status and the fields so far. Values keep their bytes, also those that aren't UTF-8 (RFC 9110 §5.5).
    private(set) var response = HTTPResponse(status: .init(code: 0))
    private var minorVersion = 0
    private var length: Int?
    private var isChunked = false
    private var transferCoding: TransferCoding?
    /// Options of the connection (RFC 9112 §9.3).
    private var (hasClose, hasKeepAlive) = (false, false)

    init(isForHead: Bool = false, mayUpgrade: Bool = false) {
        self.isForHead = isForHead
        self.mayUpgrade = mayUpgrade
    }

    private var status: Int { response.status.code }

    /// Whether another response follows (RFC 9110 §15.2).
    var isInterim: Bool { status < 200 && status != 101 }

    /// The complete head.
    func head(_ framing: Framing) -> ResponseHead {
        ResponseHead(
            response: response,
            transferCoding: framing == .chunked ? transferCoding : nil,
            keepsConnection: framing != .untilClose && !hasClose && (minorVersion == 1 || hasKeepAlive)
        )
    }

    /// `HTTP/1.1 200 OK`. Without a reason phrase, the space after the status may be missing: many servers omit it.
    mutating func takeStatusLine(_ line: UnsafeRawBufferPointer) throws(MalformedResponse) {
        guard line.count >= 12, line.starts(with: "HTTP/1.0 ".utf8) || line.starts(with: "HTTP/1.1 ".utf8),
            line.count == 12 || line[12] == HeadBytes.space, HeadBytes.isFieldText(line, 12..<line.count)
        else { throw .syntax }
        minorVersion = line[7] == UInt8(ascii: "0") ? 0 : 1
        let digits = line[9..<12]
        guard digits.allSatisfy(ASCII.isDigit) else { throw .status }
        let code = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard (100...599).contains(code), code != 101 || mayUpgrade else { throw .status }
        response.status = .init(code: code, reasonPhrase: Self.text(line.dropFirst(13)))
    }

    mutating func takeField(_ line: UnsafeRawBufferPointer) throws(MalformedResponse) {
        let (name, value) = try Self.field(line)
        switch RequestField(name) {
        case .contentLength: try takeLength(value)
        case .transferEncoding: try takeTransferCoding(value)
        case .connection: takeConnection(value)
        default: break
        }
        response.headerFields.append(try Self.field(name, value))
    }

    /// A trailer field, which must not state the length of the content (RFC 9110 §6.5.1).
    func trailer(_ line: UnsafeRawBufferPointer) throws(MalformedResponse) -> HTTPField {
        let (name, value) = try Self.field(line)
        switch RequestField(name) {
        case .contentLength, .transferEncoding: throw .framing
        default: return try Self.field(name, value)
        }
    }

    /// The framing, which only the complete head determines.
    func framing() throws(MalformedResponse) -> Framing {
        if status < 200 {
            guard !isChunked, (length ?? 0) == 0 else { throw .interim }
            return status == 101 ? .untilClose : .none
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
        let codings = value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { UnsafeRawBufferPointer(rebasing: $0.trimmingBlanks) }
        guard codings.count <= 2, codings.last?.isName("chunked") == true else { throw .transferCoding }
        if codings.count == 2 {
            guard let coding = TransferCoding(codings[0]) else { throw .transferCoding }
            transferCoding = coding
        }
        isChunked = true
    }

    private mutating func takeConnection(_ value: UnsafeRawBufferPointer) {
        for option in value.split(separator: UInt8(ascii: ",")) {
            let option = UnsafeRawBufferPointer(rebasing: option.trimmingBlanks)
            hasClose = hasClose || option.isName("close")
            hasKeepAlive = hasKeepAlive || option.isName("keep-alive")
        }
    }

    private static func field(
        _ name: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer
    ) throws(MalformedResponse) -> HTTPField {
        guard let name = HTTPField.Name(String(decoding: name, as: UTF8.self)) else { throw .syntax }
        return HTTPField(name: name, value: value)
    }

    /// The text of a reason phrase, in ISO 8859-1 as by HTTPTypes.
    private static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        return String(text)
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

/// A compression of the message on one connection (RFC 9112 §7.2). A value type; safe to share between threads.
public enum TransferCoding: Sendable {
    /// RFC 1952.
    case gzip
    /// The zlib format (RFC 1950).
    case deflate

    /// `x-gzip` is another name of gzip. Nil for other codings, and for one with parameters.
    init?(_ name: UnsafeRawBufferPointer) {
        if name.isName("gzip") || name.isName("x-gzip") {
            self = .gzip
        } else if name.isName("deflate") {
            self = .deflate
        } else {
            return nil
        }
    }
}
