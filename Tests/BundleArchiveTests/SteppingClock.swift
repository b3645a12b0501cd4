import Synchronization

/// A clock that stands still until it is read, and then goes on by a fixed step.
final class SteppingClock: Clock {
    typealias Duration = Swift.Duration

    struct Instant: InstantProtocol {
        let offset: Swift.Duration

        func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let step: Swift.Duration
    private let elapsed = Mutex(Swift.Duration.zero)

    init(step: Swift.Duration) {
        self.step = step
    }

    var minimumResolution: Swift.Duration { .nanoseconds(1) }

    var now: Instant {
        elapsed.withLock { elapsed in
            elapsed += step
            return Instant(offset: elapsed)
        }
    }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {}
}
