/// The name of a bundle, for example `shop`: 1 to 64 of `a-z 0-9 . _ -`, starting with a letter or digit.
///
/// The character set is narrow because a name is used as a folder, a URL path component and a command-line argument. A
/// value type; safe to share between threads.
public struct BundleName: Hashable, Sendable {
    /// The maximum length in bytes.
    public static let maximumByteCount = 64

    /// The name as text.
    public let string: String

    /// Returns nil when `string` breaks the rule above. A literal is taken by ``init(stringLiteral:)``, also as `BundleName("shop")`.
    public init?(_ string: String) {
        guard (1...BundleName.maximumByteCount).contains(string.utf8.count) else { return nil }
        guard let first = string.utf8.first, BundleName.isAlphanumeric(first) else { return nil }
        let others = Set("._-".utf8)
        guard string.utf8.allSatisfy({ BundleName.isAlphanumeric($0) || others.contains($0) }) else { return nil }
        self.string = string
    }

    private init(unchecked string: String) {
        self.string = string
    }

    /// What no bundle covers: a name that no bundle has, of no bytes.
    package static let unbundled = BundleName(unchecked: "")

    /// As the catalog has it, where responses that no bundle covers are kept under ``unbundled``.
    package static func ofCached(_ string: String) -> BundleName? {
        string.isEmpty ? unbundled : BundleName(string)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) && !ASCII.isUppercase(byte)
    }
}

extension BundleName: ExpressibleByStringLiteral {
    /// Makes a name of a literal, as in `client.update("shop")`. A literal that breaks the rule above ends the process.
    public init(stringLiteral string: String) {
        guard let name = BundleName(string) else {
            preconditionFailure("“\(string)” can't be the name of a bundle: it must have 1 to 64 of a-z 0-9 . _ -")
        }
        self = name
    }
}

extension BundleName: Comparable {
    /// Orders by ASCII bytes.
    public static func < (left: BundleName, right: BundleName) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }
}

extension BundleName: CustomStringConvertible {
    /// The same as ``string``.
    public var description: String { string }
}

extension BundleName: Encodable {
    /// Writes ``string``.
    public func encode(to encoder: any Encoder) throws { try string.encode(to: encoder) }
}

/// One version of a bundle, `shop@1.4.0`. A value type; safe to share between threads.
public struct ReleaseName: Hashable, Sendable, CustomStringConvertible {
    /// The bundle's name.
    public let name: BundleName
    /// The version.
    public let version: BundleVersion

    /// Names a version of a bundle.
    public init(_ name: BundleName, _ version: BundleVersion) {
        (self.name, self.version) = (name, version)
    }

    /// As commands and logs write it: `shop@1.4.0`.
    public var description: String { "\(name)@\(version)" }
}
