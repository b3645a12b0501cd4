/// Names of query parameters: one name, or with `*` at the end all names that begin so. A value type; safe to share
/// between threads.
public struct ParameterPattern: Hashable, Sendable, CustomStringConvertible {
    /// The longest pattern in bytes.
    static let maximumByteCount = 64

    /// The pattern as it was written: `utm_*`.
    public let string: String

    /// Returns nil for a pattern that is empty or longer than 64 bytes, that has `*` elsewhere than at its end, or a
    /// byte that isn't printable ASCII or that separates parameters: a space, `#`, `%`, `&`, `+` or `=`.
    public init?(_ string: String) {
        let bytes = string.utf8
        guard (1...Self.maximumByteCount).contains(bytes.count),
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && !"#%&+=".utf8.contains($0) }),
            !bytes.dropLast().contains(UInt8(ascii: "*"))
        else { return nil }
        self.string = string
    }

    /// The same as ``string``.
    public var description: String { string }

    /// Whether a parameter has a name that is meant, in exactly this case.
    ///
    /// - Parameter name: The name, percent-decoded.
    package func matches(_ name: some Sequence<UInt8>) -> Bool {
        guard string.utf8.last == UInt8(ascii: "*") else { return string.utf8.elementsEqual(name) }
        return name.starts(with: string.utf8.dropLast())
    }
}
