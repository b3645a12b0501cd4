/// The circumstances in which network rules apply. A value type; safe to share between threads.
package struct RuleConditions: Hashable, Sendable {
    /// Whether the link is metered.
    package var isMetered: Bool
    /// Whether mocks are used.
    package var isDevelopment: Bool

    /// Makes one; by default neither.
    package init(isMetered: Bool = false, isDevelopment: Bool = false) {
        self.isMetered = isMetered
        self.isDevelopment = isDevelopment
    }
}
