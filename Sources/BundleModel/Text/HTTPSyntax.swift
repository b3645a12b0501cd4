/// The parts of HTTP's grammar that a manifest must follow.
public enum HTTPSyntax {
    /// Whether `text` is a token (RFC 9110 §5.6.2), which every field name is.
    package static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    /// Whether `byte` may occur in a token (RFC 9110 §5.6.2): a bit for each ASCII byte, because a table in memory
    /// would have to be read for every byte of every name.
    @inlinable @inline(__always)
    public static func isTokenByte(_ byte: UInt8) -> Bool {
        guard byte < 0x80 else { return false }
        // 0 to 9 and ! # $ % & ' * + - . below 64; letters and ^ _ ` | ~ above.
        let bits: UInt64 = byte < 0x40 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return bits >> UInt64(byte & 0x3F) & 1 != 0
    }

    /// A field's name as programs behind CGI see it (RFC 3875 §4.1.18): without regard to case, and with all characters
    /// other than letters and digits equal; in lower case and with hyphens here.
    package static func collapsedName(_ name: String) -> String {
        String(decoding: name.utf8.map { ASCII.isAlphanumeric($0) ? $0 | 0x20 : UInt8(ascii: "-") }, as: UTF8.self)
    }

    /// Whether `text` is a field value of printable ASCII (RFC 9110 §5.5), without white space at its ends. The
    /// obsolete bytes above 0x7F are excluded, because receivers interpret them differently.
    package static func isFieldValue(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, let last = bytes.last else { return true }
        return isVisible(first) && isVisible(last) && bytes.allSatisfy { isVisible($0) || ASCII.isBlank($0) }
    }

    /// Whether `text` is `type/subtype`, followed by any parameters (RFC 9110 §8.3.1).
    package static func isMediaType(_ text: String) -> Bool {
        guard isFieldValue(text) else { return false }
        let parts = split(text, at: UInt8(ascii: ";"))
        guard let essence = parts.first else { return false }
        let names = trimmed(essence).split(separator: "/", omittingEmptySubsequences: false)
        return names.count == 2 && names.allSatisfy(isToken)
            && parts.dropFirst().allSatisfy { isParameter(trimmed($0)) }
    }

    private static func isParameter(_ text: Substring) -> Bool {
        guard let equals = text.firstIndex(of: "=") else { return false }
        let value = text[text.index(after: equals)...]
        return isToken(text[..<equals]) && (isToken(value) || isQuotedString(value))
    }

    private static func isQuotedString(_ text: Substring) -> Bool {
        guard text.utf8.count >= 2, text.utf8.first == quote, text.utf8.last == quote else { return false }
        var isEscaped = false
        for byte in text.utf8.dropFirst().dropLast() {
            if byte == quote, !isEscaped { return false }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        return !isEscaped
    }

    /// Splits at each `separator` outside quoted strings.
    private static func split(_ text: String, at separator: UInt8) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var (isQuoted, isEscaped) = (false, false)
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if byte == separator, !isQuoted {
                parts.append(text[start..<index])
                start = text.utf8.index(after: index)
            } else if byte == quote, !isEscaped {
                isQuoted.toggle()
            }
            isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
        }
        return parts + [text[start...]]
    }

    private static func trimmed(_ text: Substring) -> Substring { Substring(text.utf8.trimmingBlanks) }

    private static let quote = UInt8(ascii: "\"")

    private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }
}
