import BundleStore
import Synchronization

/// Remembers which origins don't respond, so that a request that has a stored response needn't wait for one of them. As
/// long as an origin is out, it is asked once a second behind the responses, so that its return is noticed soon.
///
/// A circuit breaker (Nygard, “Release It!”, 2nd edition, chapter 5). Thread-safe.
final class OriginBreaker: Sendable {
    /// How often an origin that is out is asked.
    private static let probeInterval: Duration = .seconds(1)
    private static let maximumCount = 1_024

    /// When each origin that is out was last asked.
    private let outages = Mutex<[String: Duration]>([:])
    private let elapsed: @Sendable () -> Duration

    /// - Parameter clock: The clock that probes are timed by.
    init(clock: any Clock<Duration>) {
        elapsed = clock.stopwatch()
    }

    /// Whether an origin is out: its last request got no response, or none in time.
    func isOut(_ origin: String) -> Bool { outages.withLock { $0[origin] != nil } }

    /// Whether the caller is to ask an origin that is out.
    func takesProbe(_ origin: String) -> Bool {
        outages.withLock { outages in
            let now = elapsed()
            guard let askedAt = outages[origin], now - askedAt >= Self.probeInterval else { return false }
            outages[origin] = now
            return true
        }
    }

    /// The origin has responded, whatever the status.
    func noteResponse(of origin: String) {
        outages.withLock { _ = $0.removeValue(forKey: origin) }
    }

    /// The origin hasn't responded, or not in time.
    func noteSilence(of origin: String) {
        outages.withLock { outages in
            guard outages[origin] == nil else { return }
            // More than a process has origins: forgetting costs one wait.
            if outages.count >= Self.maximumCount { outages = [:] }
            outages[origin] = elapsed()
        }
    }

    /// Takes the outcome of a fetch.
    func note(_ outcome: Flight.Outcome, of origin: String) {
        switch outcome {
        case .kept, .arriving, .passing, .unshared: noteResponse(of: origin)
        case .failed(let error) where !(error.cause is CancellationError): noteSilence(of: origin)
        case .failed, .found: break
        }
    }
}
