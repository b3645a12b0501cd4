import BundleStore
import Foundation
import HTTPCore
import Synchronization

/// Measures one transfer, and slows its reader down where there is a highest rate. Thread-safe.
final class TransferMeter: Sendable {
    private let pace: Mutex<TransferPace>
    private let limiter: RateLimiter?
    private let elapsed: @Sendable () -> Duration
    /// Sleeps until a moment: an interval would begin later than the moment that it was computed at.
    private let alarm: @Sendable (Duration) async throws -> Void

    /// Begins with waiting for the response.
    init(_ limits: TransferLimits, limiter: RateLimiter?, clock: any Clock<Duration>) {
        var pace = TransferPace(limits)
        pace.beginWaiting(at: .zero)
        self.pace = Mutex(pace)
        self.limiter = limiter
        (elapsed, alarm) = (clock.stopwatch(), clock.alarm())
    }

    /// The same response, with its body measured while it is read.
    func measured(_ response: OriginResponse) -> OriginResponse {
        received(0)
        return OriginResponse(head: response.head, body: BodyStream(MeasuredBody(body: response.body, meter: self)))
    }

    /// Returns once the transfer is too slow.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func slowness() async throws -> TransferPace.Slowness {
        while true {
            let now = elapsed()
            let (slowness, interval) = pace.withLock { ($0.slowness(at: now), $0.interval(from: now)) }
            if let slowness { return slowness }
            try await alarm(now + interval)
        }
    }

    fileprivate func beginWaiting() {
        let now = elapsed()
        pace.withLock { $0.beginWaiting(at: now) }
    }

    fileprivate func received(_ byteCount: Int) {
        let now = elapsed()
        pace.withLock { $0.received(byteCount, at: now) }
    }

    fileprivate func keepToRate(_ byteCount: Int) async throws {
        try await limiter?.wait(for: byteCount)
    }
}

/// A body that tells a meter when it is waited for, and what arrives.
private struct MeasuredBody: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let body: BodyStream
    let meter: TransferMeter

    func makeAsyncIterator() -> Iterator { Iterator(chunks: body.makeAsyncIterator(), meter: meter) }

    struct Iterator: AsyncIteratorProtocol {
        var chunks: BodyStream.AsyncIterator
        let meter: TransferMeter

        mutating func next() async throws -> [UInt8]? {
            meter.beginWaiting()
            let chunk = try await chunks.next()
            meter.received(chunk?.count ?? 0)
            if let chunk { try await meter.keepToRate(chunk.count) }
            return chunk
        }
    }
}

/// Whether a transfer is too slow: an account of how long its reader has waited, and of what has arrived.
///
/// Waiting uses up the patience, and each byte restores as much of it as it may take at the least rate. So a transfer that
/// is slower on average ends, and a short silence ends none. Only the time that the reader waits for the network counts
/// against the rate: not what a slow disk takes, or a rate that the reader keeps to. Moments are times since the start.
///
/// A value type.
struct TransferPace {
    /// Why a transfer is too slow.
    enum Slowness: Error, Equatable {
        case deadline(Duration)
        case rate(Int64)
    }

    /// The most often that it has to be asked.
    private static let shortestInterval: Duration = .seconds(1)

    private let limits: TransferLimits
    private var patience: Duration
    private var waitingSince: Duration?

    init(_ limits: TransferLimits) {
        self.limits = limits
        patience = limits.patience
    }

    /// The reader begins to wait.
    mutating func beginWaiting(at now: Duration) {
        waitingSince = now
    }

    /// The reader waits no longer, because something has arrived.
    mutating func received(_ byteCount: Int, at now: Duration) {
        let restored = limits.leastRate > 0 ? .seconds(Double(byteCount) / Double(limits.leastRate)) : limits.patience
        patience = min(patience(at: now) + restored, limits.patience)
        waitingSince = nil
    }

    /// Why the transfer has to end; nil when it may go on.
    func slowness(at now: Duration) -> Slowness? {
        if now >= limits.deadline { return .deadline(limits.deadline) }
        return limits.leastRate > 0 && patience(at: now) <= .zero ? .rate(limits.leastRate) : nil
    }

    /// How long from now on the transfer can't become too slow, or a second.
    func interval(from now: Duration) -> Duration {
        let rest = limits.deadline - now
        guard limits.leastRate > 0 else { return rest }
        return min(rest, max(patience(at: now), Self.shortestInterval))
    }

    private func patience(at now: Duration) -> Duration { patience - (waitingSince.map { now - $0 } ?? .zero) }
}

extension TransferPace.Slowness {
    /// The error to throw for it.
    func error(at url: URL) -> BundleError {
        switch self {
        case .deadline(let limit):
            BundleError(
                .networkUnavailable,
                "\(url.reported) isn't there after \(limit); try again later, or check the server",
                cause: self
            )
        case .rate(let rate):
            BundleError(
                .networkUnavailable,
                "\(url.reported) sends fewer than \(rate) bytes per second; try again later, or lower the least rate",
                cause: self
            )
        }
    }
}

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

/// Counts bytes that arrive from the network. Thread-safe.
final class ByteCounter: Sendable {
    private let value = Atomic<Int64>(0)

    /// The number of bytes so far.
    var count: Int64 { value.load(ordering: .relaxed) }

    func add(_ count: Int) { value.wrappingAdd(Int64(count), ordering: .relaxed) }
}
