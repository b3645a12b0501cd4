import Foundation

/// The last attempt to fetch a URL that a manifest names in `precache`. A value type; safe to share between threads.
package struct PrecacheAttempt: Sendable, Equatable {
    /// When it took place.
    package let date: Date
    /// How many attempts have failed one after the other; 0 after a success.
    package let failureCount: Int
    /// Why it failed, in one line; nil when it succeeded.
    package let failure: String?
    /// The next attempt isn't before; nil when there is none for this version.
    package let nextDate: Date?

    /// Describes an attempt.
    package init(at date: Date, failureCount: Int = 0, failure: String? = nil, next nextDate: Date?) {
        self.date = date
        self.failureCount = failureCount
        self.failure = failure
        self.nextDate = nextDate
    }
}
