/// A time in a manifest: whole milliseconds, at most a minute. A value type; safe to share between threads.
package struct Milliseconds: Hashable, Sendable {
    /// The longest time.
    static let maximum: Int64 = 60_000

    /// The number.
    package let count: Int64

    /// Returns nil for less than 1 ms and more than 60,000 ms.
    package init?(_ count: Int64) {
        guard (1...Self.maximum).contains(count) else { return nil }
        self.count = count
    }

    /// The same as a duration.
    package var duration: Duration { .milliseconds(count) }
}
