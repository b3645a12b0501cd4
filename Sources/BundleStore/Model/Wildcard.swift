/// A pattern for one path component, in which `*` stands for any characters, none included.
struct Wildcard: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Returns nil when two stars stand side by side.
    init?(_ text: Substring) {
        bytes = Array(text.utf8)
        for (left, right) in zip(bytes, bytes.dropFirst()) where left == Wildcard.star && right == Wildcard.star {
            return nil
        }
    }

    /// Whether the whole of `component` matches.
    func matches(_ component: Substring) -> Bool {
        WildcardMatch.matches(bytes, Array(component.utf8), isWildcard: { $0 == Wildcard.star }, matches: ==)
    }

    private static let star = UInt8(ascii: "*")
}
