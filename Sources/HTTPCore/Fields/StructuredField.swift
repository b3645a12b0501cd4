import BundleModel
import Foundation

/// A bare item of a structured field, for serialisation (RFC 9651 §4.1).
package enum StructuredField {
    case string(String)
    case token(String)
    case integer(Int)

    /// The serialised item.
    package var serialised: String {
        switch self {
        case .string(let text): Self.quoted(text)
        case .token(let text): text
        case .integer(let number): String(min(max(number, -Self.largestInteger), Self.largestInteger))
        }
    }

    /// 15 digits (§3.3.1).
    private static let largestInteger = 999_999_999_999_999

    /// A string has printable ASCII only (§3.3.3); any other byte is written as `%` and two hexadecimal digits.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += "\\" + String(UnicodeScalar(byte))
            case 0x20...0x7E: result.unicodeScalars.append(UnicodeScalar(byte))
            default:
                result +=
                    "%" + String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
            }
        }
        return result + "\""
    }
}

/// A dictionary of structured fields (RFC 9651 §3.2), read by the algorithm of §4.2: one deviation from the grammar, and
/// there is no dictionary at all. Pure; a value type.
package struct StructuredDictionary: Hashable, Sendable {
    /// What a member is; parameters aren't kept.
    package enum Value: Hashable, Sendable {
        /// `?1`, `?0`, or a member without a value, which is true.
        case boolean(Bool)
        /// A number without a fraction.
        case integer(Int)
        /// A string in quotes.
        case string(String)
        /// A token.
        case token(String)
        /// A number with a fraction, a byte sequence, a date, a display string, or an inner list.
        case other
    }

    /// The members by key; of several with one key the last counts.
    package let members: [String: Value]

    /// Reads the value of a field; several lines of it must be joined with commas. Returns nil when it isn't a
    /// dictionary; an empty one has no members.
    package init?(_ fieldValue: String) {
        var parser = StructuredFieldParser(fieldValue)
        guard let members = parser.dictionary() else { return nil }
        self.members = members
    }
}

/// Reads structured fields by RFC 9651 §4.2. Each function takes one part of the grammar, and returns nil when it isn't
/// there, after which nothing more can be read.
struct StructuredFieldParser {
    typealias Value = StructuredDictionary.Value

    private var scanner: FieldScanner<Substring.UTF8View>

    init(_ fieldValue: String) {
        scanner = FieldScanner(fieldValue)
    }

    /// A whole field (§4.2, §4.2.2).
    mutating func dictionary() -> [String: Value]? {
        skipSpaces()
        var members: [String: Value] = [:]
        while !scanner.isAtEnd {
            guard let key = key(), let value = member() else { return nil }
            members[key] = value
            scanner.skipWhitespace()
            if scanner.isAtEnd { break }
            guard scanner.take(",") else { return nil }
            scanner.skipWhitespace()
            // A comma at the end (§4.2.2).
            guard !scanner.isAtEnd else { return nil }
        }
        return members
    }

    /// What follows a key: a value with its parameters, or only parameters.
    private mutating func member() -> Value? {
        guard scanner.take("=") else { return parameters() ? .boolean(true) : nil }
        guard let value = next == UInt8(ascii: "(") ? innerList() : bareItem() else { return nil }
        return parameters() ? value : nil
    }

    /// §4.2.3.3.
    private mutating func key() -> String? {
        guard let first = next, isLowercase(first) || first == UInt8(ascii: "*") else { return nil }
        return text(scanner.take { Self.isKeyByte($0) })
    }

    /// §4.2.3.2; false when they are malformed.
    private mutating func parameters() -> Bool {
        while scanner.take(";") {
            skipSpaces()
            guard key() != nil else { return false }
            if scanner.take("="), bareItem() == nil { return false }
        }
        return true
    }

    /// §4.2.1.2.
    private mutating func innerList() -> Value? {
        guard scanner.take("(") else { return nil }
        while true {
            skipSpaces()
            if scanner.take(")") { return .other }
            guard bareItem() != nil, parameters(), let next, next == UInt8(ascii: " ") || next == UInt8(ascii: ")")
            else { return nil }
        }
    }

    /// §4.2.3.1.
    private mutating func bareItem() -> Value? {
        switch next {
        case UInt8(ascii: "\""): return string().map(Value.string)
        case UInt8(ascii: ":"): return byteSequence()
        case UInt8(ascii: "?"): return boolean()
        case UInt8(ascii: "@"): return date()
        case UInt8(ascii: "%"): return displayString()
        case UInt8(ascii: "*"): return token()
        case let byte? where ASCII.isLetter(byte): return token()
        default: return number()
        }
    }

    /// §4.2.4: at most 15 digits, or 12 before and 1 to 3 after a point.
    private mutating func number() -> Value? {
        let isNegative = scanner.take("-")
        let whole = scanner.take(while: ASCII.isDigit)
        guard !whole.isEmpty, whole.count <= 15 else { return nil }
        guard scanner.take(".") else { return Int(text(whole)).map { .integer(isNegative ? -$0 : $0) } }
        let fraction = scanner.take(while: ASCII.isDigit)
        return whole.count <= 12 && (1...3).contains(fraction.count) ? .other : nil
    }

    /// §4.2.5.
    private mutating func string() -> String? {
        guard scanner.take("\"") else { return nil }
        var bytes: [UInt8] = []
        while true {
            bytes += scanner.take { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            if scanner.take("\"") { return String(decoding: bytes, as: UTF8.self) }
            if scanner.take("\\\"") {
                bytes.append(UInt8(ascii: "\""))
            } else if scanner.take("\\\\") {
                bytes.append(UInt8(ascii: "\\"))
            } else {
                return nil
            }
        }
    }

    /// §4.2.6.
    private mutating func token() -> Value {
        .token(
            text(
                scanner.take { HTTPSyntax.isTokenByte($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
            )
        )
    }

    /// §4.2.7, which lets the padding be absent.
    private mutating func byteSequence() -> Value? {
        guard scanner.take(":"), case let content = text(scanner.take { $0 != UInt8(ascii: ":") }), scanner.take(":"),
            Data(base64Encoded: content + String(repeating: "=", count: -content.utf8.count & 3)) != nil
        else { return nil }
        return .other
    }

    /// §4.2.8.
    private mutating func boolean() -> Value? {
        guard scanner.take("?") else { return nil }
        return scanner.take("1") ? .boolean(true) : scanner.take("0") ? .boolean(false) : nil
    }

    /// §4.2.9.
    private mutating func date() -> Value? {
        guard scanner.take("@"), case .integer? = number() else { return nil }
        return .other
    }

    /// §4.2.10.
    private mutating func displayString() -> Value? {
        guard scanner.take("%\"") else { return nil }
        let content = scanner.take { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }
        // The digits are in lower case.
        guard scanner.take("\""), PercentEncoding.decode(content) != nil,
            content.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst()
                .allSatisfy({ !$0.prefix(2).contains(where: ASCII.isUppercase) })
        else { return nil }
        return .other
    }

    private var next: UInt8? { scanner.remainder.first }

    private mutating func skipSpaces() {
        _ = scanner.take { $0 == UInt8(ascii: " ") }
    }

    private func text(_ bytes: Substring.UTF8View) -> String { String(decoding: bytes, as: UTF8.self) }

    private func isLowercase(_ byte: UInt8) -> Bool { ASCII.isLetter(byte) && !ASCII.isUppercase(byte) }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) && !ASCII.isUppercase(byte) || "_-.*".utf8.contains(byte)
    }
}
