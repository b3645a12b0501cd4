import HTTPCore
import Synchronization

/// Limits how many requests wait for the responses of one origin, and of one URL of it, so that neither delays anything
/// else. Thread-safe.
final class FetchPermits: Sendable {
    /// The right of one fetch to go on without a client, given back when it is released.
    final class Unattended: Sendable {
        private let permits: FetchPermits
        private let origin: String
        private let isTaken = Mutex(false)

        fileprivate init(_ permits: FetchPermits, _ origin: String) {
            self.permits = permits
            self.origin = origin
        }

        deinit {
            if isTaken.withLock({ $0 }) { permits.endUnattended(origin) }
        }

        /// Takes the right. Returns false when the origin has too many such fetches.
        func take() -> Bool {
            isTaken.withLock { isTaken in
                if !isTaken { isTaken = permits.beginUnattended(origin) }
                return isTaken
            }
        }
    }

    private let maximumUnattendedCount: Int
    private let origins: KeyedSemaphores
    private let urls: KeyedSemaphores
    private let unattendedCounts = Mutex<[String: Int]>([:])

    init(_ limits: FetchLimits) {
        maximumUnattendedCount = limits.perOriginUnattended
        origins = KeyedSemaphores(permitCount: limits.perOrigin)
        urls = KeyedSemaphores(permitCount: limits.perURL)
    }

    /// Waits for its turn, and runs `body`.
    ///
    /// - Returns: Nil when the task is cancelled before.
    func run<Result>(origin: String, url: String, _ body: () async -> Result?) async -> Result? {
        // In this order: who waits for a URL's turn takes none of its origin's.
        await urls.run(url) { await origins.run(origin, body) }
    }

    /// The right to go on without a client, to be taken when it is needed.
    func unattended(origin: String) -> Unattended { Unattended(self, origin) }

    private func beginUnattended(_ origin: String) -> Bool {
        unattendedCounts.withLock { counts in
            guard counts[origin, default: 0] < maximumUnattendedCount else { return false }
            counts[origin, default: 0] += 1
            return true
        }
    }

    private func endUnattended(_ origin: String) {
        unattendedCounts.withLock { counts in
            let count = counts[origin, default: 0] - 1
            counts[origin] = count > 0 ? count : nil
        }
    }
}

/// The limits of fetches from origins. A value type; safe to share between threads.
package struct FetchLimits: Sendable, Hashable {
    /// How many requests to one origin wait for its responses at once, at least 1; further ones queue. As many as the
    /// transport opens connections to an origin.
    package var perOrigin = 256
    /// How many of them may be for one URL, at least 1.
    package var perURL = 128
    /// How many fetches of one origin go on at once without a client that waits for them: revalidations, and bodies that
    /// are stored although their clients have left. At least 0; further ones end.
    package var perOriginUnattended = 16
    /// How long a fetch goes on without a client.
    package var unattended: Duration = .seconds(120)
    /// How many bytes of a body may be missing when the last client leaves, so that it is fetched to its end and stored; else the fetch
    /// ends, as with Squid's `quick_abort_max`.
    package var unattendedByteCount: Int64 = 8 << 20
    /// How long a fetch takes at most, the body included. Event streams are the longest that are useful.
    package var total: Duration = .seconds(24 * 60 * 60)
    /// How long a client waits for an origin when a stored response or an offline page can take the place of the
    /// origin's.
    package var fallbackTimeout: Duration = .milliseconds(1_500)
    /// How requests are repeated that got no response.
    package var retries = RetryPolicy()
    /// How much of a body is held back at its beginning, in bytes, in case the origin breaks off: a body that ends or
    /// breaks before is better sent as a whole.
    package var startByteCount = 64 << 10
    /// How long it is held back.
    package var startTime: Duration = .milliseconds(100)

    /// The default limits.
    package init() {}
}
