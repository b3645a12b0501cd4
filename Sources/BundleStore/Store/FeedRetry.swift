import Foundation

/// When a feed that has failed is asked again by the clock. A value type; safe to share between threads.
package struct FeedRetry: Equatable, Sendable {
    /// How many requests have failed one after the other, 1 or more.
    package let failureCount: Int
    /// When the last one has failed.
    package let failedAt: Date
    /// When it is asked again.
    package let nextAt: Date

    package init(failureCount: Int, failedAt: Date, nextAt: Date) {
        self.failureCount = failureCount
        self.failedAt = failedAt
        self.nextAt = nextAt
    }
}
