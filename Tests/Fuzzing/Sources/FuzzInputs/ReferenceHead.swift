import BundleServing

/// The head of a request, read literally by RFC 9112, slowly and with copies: the scanner must agree with it.
struct ReferenceHead {
    /// The result of a reading.
    enum Reading {
        case complete(ReferenceHead)
        /// No empty line ends it.
        case unfinished
        case malformed
    }

    let byteCount: Int
    let method: [UInt8]
    let target: [UInt8]
    let minorVersion: UInt8
    let fields: [ReferenceField]

    static func read(_ bytes: [UInt8], _ limits: RequestHeadLimits) -> Reading {
        var lines = Lines(bytes)
        var line = lines.next()
        // §2.2: empty lines before the request.
        while line == [] { line = lines.next() }
        guard let line else { return lines.isMalformed ? .malformed : .unfinished }
        var fieldLines: [[UInt8]] = []
        while let line = lines.next(), line != [] { fieldLines.append(line) }
        guard lines.isAtEmptyLine else { return lines.isMalformed ? .malformed : .unfinished }
        let fields = fieldLines.compactMap(ReferenceField.init)
        guard fields.count == fieldLines.count, fields.count <= limits.fieldCount,
            lines.position <= limits.byteCount,
            let head = ReferenceHead(line, fields, lines.position), head.target.count <= limits.targetByteCount,
            line.count + 1 <= limits.lineByteCount, head.hasOneHost, head.framing != nil
        else { return .malformed }
        return .complete(head)
    }

    /// §3: `request-line = method SP request-target SP HTTP-version`.
    private init?(_ line: [UInt8], _ fields: [ReferenceField], _ byteCount: Int) {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map(Array.init)
        guard words.count == 3, ReferenceField.isToken(words[0]), !words[1].isEmpty,
            words[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }), words[2].count == 8,
            words[2].starts(with: "HTTP/1.".utf8), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(words[2][7])
        else { return nil }
        (method, target) = (words[0], words[1])
        minorVersion = words[2][7] == UInt8(ascii: "0") ? 0 : 1
        (self.fields, self.byteCount) = (fields, byteCount)
    }

    /// The values of a field, line by line.
    func values(_ name: String) -> [[UInt8]] { fields.filter { $0.name == name }.map(\.value) }

    /// §3.2.
    private var hasOneHost: Bool {
        let count = values("host").count
        return count == 1 || count == 0 && minorVersion == 0
    }

    /// §6.3, except what two receivers could interpret differently; nil when the length is ambiguous.
    var framing: RequestHead.Framing? {
        let (codings, lengths) = (values("transfer-encoding"), values("content-length"))
        guard codings.count + lengths.count <= 1 else { return nil }
        if let coding = codings.first {
            return minorVersion == 1 && ReferenceField.lowercased(coding) == "chunked" ? .chunked : nil
        }
        guard let length = lengths.first else { return RequestHead.Framing.none }
        let text = String(decoding: length, as: UTF8.self)
        guard (1...18).contains(length.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text).map(RequestHead.Framing.length)
    }

    /// Whether nothing after the request is processed: the client says so (§9.6), or another protocol may follow
    /// (RFC 9110 §7.8, §9.3.6).
    var isLast: Bool {
        connectionOptions.contains("close") || !values("upgrade").isEmpty || method == Array("CONNECT".utf8)
    }

    /// RFC 9110 §7.6.1.
    var connectionOptions: [String] {
        values("connection").flatMap { $0.split(separator: UInt8(ascii: ",")) }
            .map { ReferenceField.lowercased(ReferenceField.trimmed(Array($0))) }
    }
}

extension RequestHeadLimits {
    /// The longest request line, with the first byte of its end: this much may arrive before anything is known of it.
    fileprivate var lineByteCount: Int { targetByteCount + 64 }
}

/// The lines of a head, each of which ends with CR and LF (§2.2).
private struct Lines {
    private let bytes: [UInt8]
    /// The offset after the last line that was taken.
    private(set) var position = 0
    /// Whether the last line was empty.
    private(set) var isAtEmptyLine = false
    /// Whether a line feed occurred without its carriage return.
    private(set) var isMalformed = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next line without its end, or nil when there is none.
    mutating func next() -> [UInt8]? {
        isAtEmptyLine = false
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        guard end > position, bytes[end - 1] == UInt8(ascii: "\r") else {
            isMalformed = true
            return nil
        }
        defer { position = end + 1 }
        isAtEmptyLine = end - 1 == position
        return Array(bytes[position..<end - 1])
    }
}
