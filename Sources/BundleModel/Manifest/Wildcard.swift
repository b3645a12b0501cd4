/// A pattern for one path component, in which `*` stands for any characters, including none.
struct Wildcard: Sendable {
    private static let star = UInt8(ascii: "*")

    /// The text before, between and after the stars; without a star, one literal.
    let literals: [Literal]

    /// Returns nil when two stars are adjacent.
    init?(_ text: Substring) {
        literals = text.utf8.split(separator: Self.star, omittingEmptySubsequences: false).map { Literal(Array($0)) }
        guard literals.dropFirst().dropLast().allSatisfy({ $0.byteCount > 0 }) else { return nil }
    }

    /// Whether it contains no star.
    var isLiteral: Bool { literals.count == 1 }

    /// Whether the whole of `component` matches. For any pattern, reads each of its bytes at most once.
    ///
    /// Each literal is matched at its first occurrence, which leaves the most to the following ones.
    func matches<Bytes: RandomAccessCollection<UInt8>>(_ component: Bytes) -> Bool where Bytes.SubSequence == Bytes {
        guard let first = literals.first, let last = literals.last else { return false }
        guard literals.count > 1 else { return first.byteCount == component.count && first.starts(component) }
        guard first.byteCount + last.byteCount <= component.count,
            first.starts(component), last.starts(component.suffix(last.byteCount))
        else { return false }
        var rest = component.dropFirst(first.byteCount).dropLast(last.byteCount)
        for literal in literals.dropFirst().dropLast() {
            guard let end = literal.end(in: rest) else { return false }
            rest = rest[end...]
        }
        return true
    }
}
