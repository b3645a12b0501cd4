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
