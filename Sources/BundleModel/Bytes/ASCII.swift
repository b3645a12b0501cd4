/// Classes of bytes in ASCII grammars. They apply to bytes instead of characters, because a digit followed by a
/// combining mark is one Character.
///
/// Public, as is all that is called for every byte: the compiler inlines `package` functions in their own module only.
public enum ASCII {
    /// `0` to `9`.
    @inlinable @inline(__always)
    public static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    /// `A` to `Z`.
    @inlinable @inline(__always)
    public static func isUppercase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }

    /// A letter of either case.
    @inlinable @inline(__always)
    public static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    /// A letter or a digit.
    @inlinable @inline(__always)
    public static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

    /// A space or a tab, which HTTP allows in many places (OWS, RFC 9110 §5.6.3).
    @inlinable @inline(__always)
    public static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without leading and trailing spaces and tabs.
    @inlinable
    public var trimmingBlanks: SubSequence {
        let start = firstIndex { !ASCII.isBlank($0) } ?? endIndex
        let last = self[start...].lastIndex { !ASCII.isBlank($0) }
        return self[start..<(last.map { index(after: $0) } ?? start)]
    }
}

/// Hexadecimal digits, as used for digests and file names.
package enum Hexadecimal {
    /// The value of a digit of either case, or nil when it isn't one.
    @inlinable
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The bytes that an even number of digits of either case stands for; nil for anything else.
    package static func bytes(of digits: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.utf8.count / 2)
        var high: UInt8?
        for digit in digits.utf8 {
            guard let value = value(of: digit) else { return nil }
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        return high == nil ? bytes : nil
    }

    /// The bytes in lower case, two digits each.
    package static func string(of bytes: some Sequence<UInt8>) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            result.append(digit(byte >> 4))
            result.append(digit(byte & 15))
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }
}
