import BundleStore
import Synchronization

/// Keeps all transfers together to a rate: each waits until its bytes may have arrived at that rate, so that the sender is
/// slowed down (the generic cell rate algorithm of ITU-T I.371, without a burst). Thread-safe.
final class RateLimiter: Sendable {
    private let rate: Int64
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    /// When what was received may have arrived.
    private let arrival = Mutex(Duration.zero)

    /// - Parameter rate: In bytes per second, 1 or more.
    init(rate: Int64, clock: any Clock<Duration>) {
        self.rate = rate
        self.clock = clock
        elapsed = clock.stopwatch()
    }

    /// Waits as long as `byteCount` bytes take that were received after those of earlier calls.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func wait(for byteCount: Int) async throws {
        let now = elapsed()
        let pause = arrival.withLock { arrival in
            arrival = max(arrival, now) + .seconds(Double(byteCount) / Double(rate))
            return arrival - now
        }
        try await clock.sleep(for: pause)
    }
}
