/// The version of a release: Semantic Versioning 2.0.0 where it parses, otherwise dotted numbers of any length (`3`,
/// `1.2`, `20261120.4`).
///
/// Versions compare numerically, never lexically. Missing trailing numbers count as zero, so `1.2` equals `1.2.0`;
/// a pre-release precedes its release (SemVer §11); build metadata doesn't count (SemVer §10). Two versions may be
/// equal in precedence and still differ in ``string``.
///
/// A value type; safe to share between threads.
public struct BundleVersion: Sendable {
    /// The maximum length in bytes.
    public static let maximumByteCount = 128

    /// The version as written.
    public let string: String

    private let numbers: [DecimalNumber]
    private let preRelease: [PreReleaseIdentifier]

    /// Parses `string`. Returns nil when it is neither a semantic version nor dotted numbers, or exceeds 128 bytes. A literal is taken by
    /// ``init(stringLiteral:)``, also as `BundleVersion("1.4.0")`.
    public init?(_ string: String) {
        guard string.utf8.count <= BundleVersion.maximumByteCount else { return nil }
        if let (numbers, preRelease) = BundleVersion.semantic(string) {
            self.numbers = numbers
            self.preRelease = preRelease
        } else if let numbers = BundleVersion.dotted(string[...]) {
            self.numbers = numbers
            self.preRelease = []
        } else {
            return nil
        }
        self.string = string
    }

    /// Whether it has a pre-release part (SemVer §9), such as `1.0.0-rc.1`.
    public var isPreRelease: Bool { !preRelease.isEmpty }

    private static func semantic(_ string: String) -> ([DecimalNumber], [PreReleaseIdentifier])? {
        let withoutBuild = string.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        if withoutBuild.count == 2, !isValidBuild(withoutBuild[1]) { return nil }
        let parts = withoutBuild[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let numbers = dotted(parts[0]), numbers.count == 3, !hasLeadingZero(parts[0]) else { return nil }
        guard parts.count == 2 else { return (numbers, []) }
        let identifiers = parts[1].split(separator: ".", omittingEmptySubsequences: false)
            .map(PreReleaseIdentifier.init)
        guard !identifiers.contains(where: { $0 == nil }) else { return nil }
        return (numbers, identifiers.compactMap(\.self))
    }

    private static func dotted(_ string: Substring) -> [DecimalNumber]? {
        let numbers = string.split(separator: ".", omittingEmptySubsequences: false).map(DecimalNumber.init)
        guard !numbers.contains(where: { $0 == nil }) else { return nil }
        return numbers.compactMap(\.self)
    }

    private static func hasLeadingZero(_ core: Substring) -> Bool {
        core.split(separator: ".").contains { $0.utf8.count > 1 && $0.utf8.first == UInt8(ascii: "0") }
    }

    private static func isValidBuild(_ build: Substring) -> Bool {
        build.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(PreReleaseIdentifier.isWellFormed)
    }
}

extension BundleVersion: ExpressibleByStringLiteral {
    /// Makes a version of a literal, as in `client.activate("shop", version: "1.4.0")`. A literal that is no version ends the process.
    public init(stringLiteral string: String) {
        guard let version = BundleVersion(string) else {
            preconditionFailure(
                "“\(string)” can't be a version: it must be a semantic version, or numbers with dots between them"
            )
        }
        self = version
    }
}

extension BundleVersion: Comparable, Hashable {
    /// Whether both have the same precedence; their texts may differ.
    public static func == (left: BundleVersion, right: BundleVersion) -> Bool {
        left.significantNumbers == right.significantNumbers && left.preRelease == right.preRelease
    }

    /// Orders by precedence (SemVer §11).
    public static func < (left: BundleVersion, right: BundleVersion) -> Bool {
        let (mine, other) = (left.significantNumbers, right.significantNumbers)
        if mine != other { return mine.lexicographicallyPrecedes(other) }
        // SemVer §11.3: a version without a pre-release is the higher one.
        if left.preRelease.isEmpty || right.preRelease.isEmpty {
            return !left.preRelease.isEmpty && right.preRelease.isEmpty
        }
        return left.preRelease.lexicographicallyPrecedes(right.preRelease)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(significantNumbers)
        hasher.combine(preRelease)
    }

    private var significantNumbers: ArraySlice<DecimalNumber> {
        let last = numbers.lastIndex { !$0.isZero } ?? -1
        return numbers[...last]
    }
}

extension BundleVersion: CustomStringConvertible {
    /// The same as ``string``.
    public var description: String { string }
}

extension BundleVersion: Encodable {
    /// Writes ``string``.
    public func encode(to encoder: any Encoder) throws { try string.encode(to: encoder) }
}

/// One dot-separated identifier of a pre-release (SemVer §9), ordered according to §11.4.
enum PreReleaseIdentifier: Hashable, Sendable {
    case number(DecimalNumber)
    case text(String)

    /// Returns nil for an empty identifier, one with a character outside `[0-9A-Za-z-]`, or a number with leading zeros.
    init?(_ identifier: Substring) {
        guard Self.isWellFormed(identifier) else { return nil }
        guard let number = DecimalNumber(identifier) else {
            self = .text(String(identifier))
            return
        }
        guard identifier.utf8.count == 1 || identifier.utf8.first != UInt8(ascii: "0") else { return nil }
        self = .number(number)
    }

    /// Whether `identifier` is one or more of `[0-9A-Za-z-]`, as SemVer §9 and §10 require.
    static func isWellFormed(_ identifier: Substring) -> Bool {
        !identifier.isEmpty && identifier.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
    }
}

extension PreReleaseIdentifier: Comparable {
    static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.number(let mine), .number(let other)): mine < other
        case (.text(let mine), .text(let other)): mine.utf8.lexicographicallyPrecedes(other.utf8)
        case (.number, .text): true
        case (.text, .number): false
        }
    }
}

/// A whole number of any length, stored as its digits without leading zeros: a build number may exceed 64 bits.
struct DecimalNumber: Hashable, Sendable {
    private let digits: Substring

    /// Returns nil unless `text` is one or more ASCII digits.
    init?(_ text: Substring) {
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        digits = text.drop { $0 == "0" }
    }

    var isZero: Bool { digits.isEmpty }
}

extension DecimalNumber: Comparable {
    static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
        let (mine, other) = (left.digits.utf8, right.digits.utf8)
        return mine.count == other.count ? mine.lexicographicallyPrecedes(other) : mine.count < other.count
    }
}
