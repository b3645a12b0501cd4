/// A field line by the grammar of RFC 9112 §5: `field-name ":" OWS field-value OWS`.
struct ReferenceField {
    /// In lower case.
    let name: String
    let value: [UInt8]

    init?(_ line: [UInt8]) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let value = Self.trimmed(Array(line[(colon + 1)...]))
        // RFC 9110 §5.5: VCHAR, obs-text, and spaces and tabs between them.
        guard Self.isToken(Array(line[..<colon])), value.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        name = Self.lowercased(Array(line[..<colon]))
        self.value = value
    }

    /// RFC 9110 §5.6.2.
    static func isToken(_ bytes: [UInt8]) -> Bool {
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        let allowed = Array("!#$%&'*+-.^_`|~0123456789\(letters)".utf8)
        return !bytes.isEmpty && bytes.allSatisfy(allowed.contains)
    }

    /// Without white space around it (RFC 9110 §5.6.3).
    static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        return Array(bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }

    /// In lower case, with a replacement for non-ASCII bytes.
    static func lowercased(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self).lowercased()
    }
}
