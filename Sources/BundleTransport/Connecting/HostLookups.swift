import BundleModel
import HTTPCore
import Synchronization

/// Looks up host names on a few threads of its own, so that nothing else waits for a name server that doesn't respond.
/// Requests that wait for the same name share one look-up. The order is that of ``LookupQueue``.
///
/// Thread-safe.
final class HostLookups: Sendable {
    /// Too many names are waiting to be looked up.
    struct Overload: Error {}

    private typealias Waiter = AsyncStream<[NetworkAddress]?>.Continuation

    private struct State {
        var queue = LookupQueue()
        /// The waiters of each name, by number.
        var waiters: [String: [UInt64: Waiter]] = [:]
        var lastNumber: UInt64 = 0
    }

    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private let resolve: @Sendable (String) -> [NetworkAddress]
    private let state = Mutex(State())

    /// - Parameters:
    ///   - resolve: Returns the addresses of a name; none for a name that has none. May block.
    init(
        clock: any Clock<Duration> = ContinuousClock(),
        resolve: @escaping @Sendable (String) -> [NetworkAddress] = HostLookups.resolve
    ) {
        self.clock = clock
        elapsed = clock.stopwatch()
        self.resolve = resolve
    }

    private static func resolve(_ name: String) -> [NetworkAddress] {
        (try? HostAddresses.resolve(name, port: 0, as: NetworkAddress.init)) ?? []
    }

    /// The addresses of a host; none when its name has none.
    ///
    /// - Parameter limit: How long to wait. The look-up itself can't be cancelled, and may serve later requests.
    /// - Returns: Nil when there is no result in time, and also when a slow look-up found nothing: then the name server
    ///   is the trouble, and not the name.
    /// - Throws: ``Overload``; `CancellationError`.
    func addresses(of host: String, within limit: Duration) async throws -> [NetworkAddress]? {
        // Names are case-insensitive (RFC 4343), but another case would cause another look-up.
        let name = host.lowercased()
        let (results, continuation) = AsyncStream.makeStream(of: [NetworkAddress]?.self)
        let number = try join(name, continuation)
        defer { leave(name, number) }
        let timer = Task { [clock] in
            try await clock.sleep(for: limit)
            continuation.yield(nil)
        }
        defer { timer.cancel() }
        for await addresses in results { return addresses }
        throw CancellationError()
    }

    private func join(_ name: String, _ waiter: Waiter) throws -> UInt64 {
        let now = elapsed()
        let joined = state.withLock { state -> (number: UInt64, next: String?)? in
            guard state.queue.add(name) else { return nil }
            state.lastNumber += 1
            state.waiters[name, default: [:]][state.lastNumber] = waiter
            return (state.lastNumber, state.queue.next(at: now))
        }
        guard let joined else { throw Overload() }
        if let next = joined.next { WorkThread.start(.prompt) { self.work(from: next) } }
        return joined.number
    }

    /// A look-up that no request waits for any more isn't started.
    private func leave(_ name: String, _ number: UInt64) {
        state.withLock { state in
            // Later requests may wait for the name since its look-up has ended.
            guard state.waiters[name]?.removeValue(forKey: number) != nil else { return }
            guard state.waiters[name]?.isEmpty == true else { return }
            state.waiters[name] = nil
            state.queue.remove(name)
        }
    }

    /// Looks up names one after the other, as long as there are any.
    private func work(from first: String) {
        var next: String? = first
        while let name = next {
            let addresses = addresses(of: name)
            let now = elapsed()
            let waiters = state.withLock { state in
                state.queue.finish(name, at: now)
                next = state.queue.next(at: now)
                return state.waiters.removeValue(forKey: name) ?? [:]
            }
            for waiter in waiters.values { waiter.yield(addresses) }
        }
    }

    /// Looks a name up. Nil when it took long and found nothing.
    private func addresses(of name: String) -> [NetworkAddress]? {
        let start = elapsed()
        let addresses = resolve(name)
        return addresses.isEmpty && elapsed() - start >= LookupQueue.slowDuration ? nil : addresses
    }
}
