/// URLs that are requested in place of others: what the wildcards of ``from`` stand for takes the place of those of
/// ``to``, in their order.
///
/// A value type; safe to share between threads.
package struct URLRewrite: Equatable, Sendable {
    /// The keys of a rewrite.
    enum Key: String, CaseIterable {
        case from
        case to
    }

    /// The URLs that are replaced.
    package let from: URLPattern
    /// What replaces them, with the same wildcards in the same order.
    package let to: URLPattern

    /// Returns nil when the patterns' wildcards differ.
    package init?(from: URLPattern, to: URLPattern) {
        guard from.wildcards == to.wildcards else { return nil }
        self.from = from
        self.to = to
    }
}
