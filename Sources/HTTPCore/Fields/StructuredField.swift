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
