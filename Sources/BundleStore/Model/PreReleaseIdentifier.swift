/// One dot-separated identifier of a pre-release (SemVer §9), ordered as §11.4 says.
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

    /// Whether `identifier` is one or more of `[0-9A-Za-z-]`, as SemVer §9 and §10 ask.
    static func isWellFormed(_ identifier: Substring) -> Bool {
        !identifier.isEmpty
            && identifier.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
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
