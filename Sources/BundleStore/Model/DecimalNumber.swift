/// A whole number of any length, kept as its digits without leading zeros: a build number may exceed 64 bits.
struct DecimalNumber: Hashable, Sendable {
    private let digits: Substring

    /// Returns nil unless `text` is one or more ASCII digits.
    init?(_ text: Substring) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
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
