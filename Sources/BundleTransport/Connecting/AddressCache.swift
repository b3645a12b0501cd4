import BundleModel
import Synchronization

/// The addresses of the names that were looked up recently: a busy origin isn't looked up for each connection, and one
/// whose connections are being closed can be reached while the resolver is unavailable.
///
/// Thread-safe.
final class AddressCache: Sendable {
    private struct Entry {
        let addresses: [NetworkAddress]
        let time: ContinuousClock.Instant

        var isFresh: Bool { time.duration(to: .now) < AddressCache.lifetime }
    }

    private static let lifetime: Duration = .seconds(30)
    private static let maximumCount = 256

    private let entries = Mutex<[String: Entry]>([:])

    /// The addresses of a name that was looked up within the last 30 seconds.
    subscript(name: String) -> [NetworkAddress]? {
        entries.withLock { entries in
            guard let entry = entries[name], entry.isFresh else { return nil }
            return entry.addresses
        }
    }

    /// Forgets the result of a look-up.
    func remove(_ name: String) { entries.withLock { $0[name] = nil } }

    /// Records the result of a look-up.
    func insert(_ addresses: [NetworkAddress], of name: String) {
        entries.withLock { entries in
            if entries.count >= Self.maximumCount { entries = entries.filter(\.value.isFresh) }
            // Beyond that number, each connection looks its name up.
            if entries.count < Self.maximumCount { entries[name] = Entry(addresses: addresses, time: .now) }
        }
    }
}
