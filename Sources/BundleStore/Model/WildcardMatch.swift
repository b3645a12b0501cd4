/// Matching with a wildcard that stands for any run of elements, used for the characters of a component and for the
/// components of a path.
enum WildcardMatch {
    /// Whether `pattern` covers all of `subject`.
    ///
    /// A mismatch goes back to the last wildcard only and lets it take one element more. That is enough, since whatever an
    /// earlier wildcard would take can be taken by the last, and it bounds the time by the product of the two lengths.
    static func matches<Pattern, Element>(
        _ pattern: [Pattern],
        _ subject: [Element],
        isWildcard: (Pattern) -> Bool,
        matches: (Pattern, Element) -> Bool
    ) -> Bool {
        var (next, position) = (0, 0)
        var retry: (next: Int, position: Int)?
        while position < subject.count {
            if next < pattern.count, isWildcard(pattern[next]) {
                next += 1
                retry = (next, position)
            } else if next < pattern.count, matches(pattern[next], subject[position]) {
                next += 1
                position += 1
            } else if let last = retry {
                (next, position) = (last.next, last.position + 1)
                retry = (next, position)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy(isWildcard)
    }
}
