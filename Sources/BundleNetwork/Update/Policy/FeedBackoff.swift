import BundleStore
import Foundation

/// When a feed that fails is asked again by the clock: after a pause that doubles with each failure, or later if its server
/// says so. Pure.
///
/// The pauses are counted for each bundle, not for its feed's host: another publisher's feed there may be well.
enum FeedBackoff {
    /// The pause after the first failure in seconds.
    static let firstPause: TimeInterval = 300
    /// The longest pause in seconds: a machine that was without a network isn't long without updates.
    static let longestPause: TimeInterval = 3_600

    /// What follows from a failure.
    ///
    /// - Parameters:
    ///   - earlier: What followed from the one before; nil when there was none.
    ///   - requested: The least pause in seconds that the server asks for; nil when it asks for none.
    ///   - now: When it has failed.
    ///   - random: From 0 up to 1: machines that failed together don't return together.
    static func retry(
        after earlier: FeedRetry?,
        requested: TimeInterval?,
        now: Date,
        random: Double
    ) -> FeedRetry {
        let count = min(earlier?.failureCount ?? 0, Int(Int32.max) - 1) + 1
        // More doublings than this exceed any pause.
        let longest = min(firstPause * Double(1 << min(count - 1, 16)), longestPause)
        let pause = max(longest * (1 - random / 2), requested ?? 0)
        return FeedRetry(failureCount: count, failedAt: now, nextAt: now + pause)
    }
}
