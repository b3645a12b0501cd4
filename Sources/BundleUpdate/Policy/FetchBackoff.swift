import BundleStore
import Foundation
import HTTPCore

/// When what couldn't be fetched is asked for again by the clock: after a pause that doubles with each failure, or later if
/// its server says so. Pure.
///
/// The pauses are counted for each bundle, not for a host: another publisher's files there may be well.
enum FetchBackoff {
    /// How long the pauses are, in seconds.
    struct Pauses: Equatable {
        /// After the first failure.
        let first: TimeInterval
        /// The most.
        let longest: TimeInterval

        /// After no response, or another one than was asked for. A machine that was without a network isn't long without
        /// updates.
        static let unavailable = Pauses(first: 300, longest: 3_600)
        /// After a file that can't be used: each attempt costs its bytes.
        static let refused = Pauses(first: 3_600, longest: 86_400)
    }

    /// What follows from a failure.
    ///
    /// - Parameters:
    ///   - earlier: What followed from the one before; nil when there was none.
    ///   - pauses: How long the pauses are.
    ///   - requested: The least pause in seconds that the server asks for; nil when it asks for none.
    ///   - now: When it has failed.
    ///   - random: From 0 up to 1: machines that failed together don't return together.
    static func retry(
        after earlier: FetchRetry?,
        _ pauses: Pauses = .unavailable,
        requested: TimeInterval?,
        now: Date,
        random: Double
    ) -> FetchRetry {
        let count = min(earlier?.failureCount ?? 0, Int(Int32.max) - 1) + 1
        // More doublings than this exceed any pause.
        let longest = min(pauses.first * Double(1 << min(count - 1, 16)), pauses.longest)
        let pause = max(longest * (1 - random / 2), requested ?? 0)
        return FetchRetry(failureCount: count, failedAt: now, nextAt: now + pause)
    }

    /// The pauses after a feed's failure; nil when the feed isn't valid, the program may not connect to its server, or it is a
    /// file, which costs nobody anything.
    static func pauses(afterFeed error: BundleError, at url: URL) -> Pauses? {
        FileURL(url) == nil && error.code == .networkUnavailable && !(error.cause is OriginDenial) ? .unavailable : nil
    }

    /// The pauses after the failure of a release's update; nil when a connection has broken, where the next update goes on,
    /// or the same archive isn't fetched again in any case.
    ///
    /// - Parameters:
    ///   - url: Where its archive is.
    ///   - hasReceived: Whether anything of the release has arrived.
    static func pauses(afterRelease error: BundleError, at url: URL, hasReceived: Bool) -> Pauses? {
        switch error.cause {
        case let refused as RefusedRelease: refused.isFinal ? nil : .refused
        case _ where FileURL(url) != nil: nil
        case is UnexpectedResponse, is TransferPace.Slowness: .unavailable
        case is OriginDenial: nil
        default: error.code == .networkUnavailable && !hasReceived ? .unavailable : nil
        }
    }
}
