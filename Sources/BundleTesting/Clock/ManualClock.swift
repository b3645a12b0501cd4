import Foundation
import Synchronization

/// A clock that stands still until a test moves it.
///
/// Safe to use from any number of threads at once.
public final class ManualClock: Sendable {
    private let date: Mutex<Date>

    /// Starts at `date`; by default 2026-01-01 00:00:00 UTC, a Thursday.
    public init(_ date: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
        self.date = Mutex(date)
    }

    /// The time it shows. Setting it may also turn it back.
    public var now: Date {
        get { date.withLock { $0 } }
        set { date.withLock { $0 = newValue } }
    }

    /// The clock as the function that the code under test takes.
    public var read: @Sendable () -> Date {
        { self.now }
    }

    /// Moves the clock forward; back when `duration` is negative.
    public func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        date.withLock { $0 += TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18 }
    }
}
