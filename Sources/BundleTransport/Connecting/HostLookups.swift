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

/// Which host name is looked up next, and how many at a time. A value type.
///
/// A name whose last look-up took long gets only a few of the threads, and comes after the other names. So a name
/// server that doesn't respond keeps a thread from them at most once for each of its names, for as long as the system's
/// resolver takes. Among the slow names, the one with the oldest last look-up comes first, so that each gets its turn.
struct LookupQueue {
    /// The maximum number of look-ups at a time.
    static let maximumRunningCount = 8
    /// The maximum number of these for slow names.
    static let maximumSlowCount = 2
    /// The maximum number of waiting names, for slow ones and for others each.
    static let maximumWaitingCount = 64
    /// A look-up that takes this long makes its name a slow one, until a shorter look-up.
    static let slowDuration: Duration = .seconds(1)
    /// The maximum number of slow names remembered.
    static let maximumRememberedCount = 1_024

    /// In the order of arrival.
    private var waiting: [String] = []
    /// When the look-ups began.
    private var running: [String: Duration] = [:]
    /// The slow names, and when their last look-ups ended.
    private var slow: [String: Duration] = [:]

    /// Adds a name, unless it is already waiting or being looked up. Returns false when too many others wait.
    mutating func add(_ name: String) -> Bool {
        if running[name] != nil || waiting.contains(name) { return true }
        let count = waiting.count { isSlow($0) == isSlow(name) }
        guard count < Self.maximumWaitingCount else { return false }
        waiting.append(name)
        return true
    }

    /// Removes a waiting name.
    mutating func remove(_ name: String) { waiting.removeAll { $0 == name } }

    /// Takes the name to look up next; nil when none may be looked up now. Each look-up that ends makes room for one
    /// other.
    ///
    /// - Parameter now: The time since any fixed moment.
    mutating func next(at now: Duration) -> String? {
        guard running.count < Self.maximumRunningCount, let name = waiting.first(where: { !isSlow($0) }) ?? nextSlow
        else { return nil }
        remove(name)
        running[name] = now
        return name
    }

    /// Records that the look-up of a name has ended.
    ///
    /// - Parameter now: As in ``next(at:)``.
    mutating func finish(_ name: String, at now: Duration) {
        guard let start = running.removeValue(forKey: name) else { return }
        slow[name] = now - start < Self.slowDuration ? nil : now
        if slow.count > Self.maximumRememberedCount { forgetOne() }
    }

    private func isSlow(_ name: String) -> Bool { slow[name] != nil }

    private var nextSlow: String? {
        guard running.keys.count(where: isSlow) < Self.maximumSlowCount else { return nil }
        return waiting.filter(isSlow).min { slow[$0, default: .zero] < slow[$1, default: .zero] }
    }

    private mutating func forgetOne() {
        // A waiting name must stay: otherwise its look-up would become possible without anything starting it.
        let oldest = slow.filter { !waiting.contains($0.key) }.min { $0.value < $1.value }
        if let oldest { slow[oldest.key] = nil }
    }
}

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
