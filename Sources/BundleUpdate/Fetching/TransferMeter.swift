import BundleStore
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
