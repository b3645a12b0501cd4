@_spi(_Unicode) import Swift

/// A set of characters of ASCII, and the white space beyond it.
public struct CharacterSet: Sendable {
    let contains: @Sendable (Unicode.Scalar) -> Bool

    public init(charactersIn text: String) {
        let scalars = Set(text.unicodeScalars)
        contains = scalars.contains
    }

    private init(_ contains: @escaping @Sendable (Unicode.Scalar) -> Bool) { self.contains = contains }

    public static let whitespacesAndNewlines = CharacterSet { $0.properties.isWhitespace }
    public static let whitespaces = CharacterSet { $0 == " " || $0 == "\t" || $0.properties.generalCategory == .spaceSeparator }
    /// The characters of a path, as in Foundation (RFC 3986 §3.3).
    public static let urlPathAllowed = CharacterSet { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || "!$&'()*+,-./:=@_~".unicodeScalars.contains(scalar))
    }
}

/// How texts are compared.
public struct StringCompareOptions: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// ASCII letters are equal in either case.
    public static let caseInsensitive = StringCompareOptions(rawValue: 1)
}

extension StringProtocol {
    /// The text in Unicode normalisation form C.
    public var precomposedStringWithCanonicalMapping: String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: String(self)._nfc)
        return String(scalars)
    }

    /// The text in Unicode normalisation form D.
    public var decomposedStringWithCanonicalMapping: String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: String(self)._nfd)
        return String(scalars)
    }

    public func trimmingCharacters(in set: CharacterSet) -> String {
        var rest = unicodeScalars[...]
        while let first = rest.first, set.contains(first) { rest.removeFirst() }
        while let last = rest.last, set.contains(last) { rest.removeLast() }
        return String(String.UnicodeScalarView(rest))
    }

    public func addingPercentEncoding(withAllowedCharacters set: CharacterSet) -> String? {
        var encoded = ""
        for scalar in unicodeScalars {
            if set.contains(scalar) {
                encoded.unicodeScalars.append(scalar)
            } else {
                for byte in String(scalar).utf8 {
                    encoded += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
                }
            }
        }
        return encoded
    }

    /// Where a text of ASCII begins and ends in this one.
    public func range(of text: String, options: StringCompareOptions = []) -> Range<Index>? {
        func folded(_ byte: UInt8) -> UInt8 {
            options.contains(.caseInsensitive) && (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
        }
        let (own, other) = (Array(utf8), text.utf8.map(folded))
        guard !other.isEmpty, own.count >= other.count else { return nil }
        for start in 0...own.count - other.count where zip(own[start...], other).allSatisfy({ folded($0) == $1 }) {
            let first = utf8.index(utf8.startIndex, offsetBy: start)
            return first..<utf8.index(first, offsetBy: other.count)
        }
        return nil
    }

    /// Whether a text of ASCII is in this one. Swift's own method comes with its regular expressions.
    public func contains(_ text: String) -> Bool { text.isEmpty || range(of: text) != nil }

    public func replacingOccurrences(of text: String, with other: String) -> String {
        var (result, rest) = ("", self[...])
        while let found = rest.range(of: text) {
            result += rest[..<found.lowerBound] + other
            rest = rest[found.upperBound...]
        }
        return result + rest
    }
}
