import Synchronization

/// The names whose addresses were looked up and accepted recently: a busy origin isn't looked up for each request, and
/// one with open connections can be reached while the resolver is unavailable.
///
/// Thread-safe.
final class AcceptedNameCache: Sendable {
    private static let lifetime: Duration = .seconds(30)
    private static let maximumCount = 256

    private let times = Mutex<[String: ContinuousClock.Instant]>([:])

    /// Whether a name was accepted within the last 30 seconds.
    func contains(_ name: String) -> Bool {
        times.withLock { times in
            guard let time = times[name] else { return false }
            return time.duration(to: .now) < Self.lifetime
        }
    }

    /// Records a name that has just been accepted.
    func insert(_ name: String) {
        times.withLock { times in
            if times.count >= Self.maximumCount { times = times.filter { $0.value.duration(to: .now) < Self.lifetime } }
            // Beyond that number, each request looks its name up.
            if times.count < Self.maximumCount { times[name] = .now }
        }
    }
}
