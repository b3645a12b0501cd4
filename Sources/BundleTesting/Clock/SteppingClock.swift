import Synchronization

/// A clock that stands still until it is read, and then goes on by a fixed step.
///
/// Safe to use from any number of threads at once.
public final class SteppingClock: Clock {
    /// The distance between two moments.
    public typealias Duration = Swift.Duration

    /// A moment, by the time since the clock was made.
    public struct Instant: InstantProtocol {
        let offset: Swift.Duration

        /// The moment `duration` later.
        public func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        /// How much later `other` is.
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        /// Whether `left` is earlier.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let step: Swift.Duration
    private let elapsed = Mutex(Swift.Duration.zero)

    /// - Parameter step: How far each look at the clock moves it.
    public init(step: Swift.Duration) {
        self.step = step
    }

    /// Any step is possible.
    public var minimumResolution: Swift.Duration { .nanoseconds(1) }

    /// The next moment; each look at it is a step.
    public var now: Instant {
        elapsed.withLock { elapsed in
            elapsed += step
            return Instant(offset: elapsed)
        }
    }

    /// Returns at once.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {}
}
