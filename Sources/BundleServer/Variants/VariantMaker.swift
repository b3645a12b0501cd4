import BundleCoding
import BundleNetwork
import BundleServing
import BundleStore
import Logging
import ServiceLifecycle
import Synchronization

/// Schedules the making of coded forms of requested files, one after the other, off the request path: the first
/// responses with a file are sent uncoded, later ones in the coding that suits the client best. The deltas between a
/// new version and the one before (RFC 9842) are made when it has become active, before they are requested.
///
/// Nothing is made until a client has asked for a coding. The work in the background runs on one thread of the lowest
/// priority, and waits while requests come in.
///
/// Each form is tried once for as long as the store stays the same, and again after ``VariantQueue/retryInterval``:
/// then one that was removed because of the quota is made again, if it is requested. Thread-safe.
final class VariantMaker: VariantProvider, Service {
    /// How long a response waits for a delta: about what it would save on a slow line.
    static let deltaTimeout: Duration = .milliseconds(500)
    /// The longest time for which forms are made before responses use them: each announcement invalidates all ready
    /// responses, which isn't worth it for each single form.
    static let announcementInterval: Duration = .seconds(1)

    private struct State {
        var queue = VariantQueue()
        var waiters: [VariantKey: [AsyncStream<Never>.Continuation]] = [:]
        /// The priorities that have a thread.
        var running: Set<WorkThread.Priority> = []
        var isStopped = false
        /// Whether the store could not be written: then nothing is written until it changes.
        var isFailing = false
        /// Whether that was reported.
        var hasReported = false
    }

    private let store: BundleStore
    private let variants: VariantStore
    private let encoder: VariantEncoder
    private let clock: any Clock<Duration>
    /// The time since the maker was created.
    private let elapsed: @Sendable () -> Duration
    private let logger: Logger
    private let requestCount: @Sendable () -> Int64
    private let start: @Sendable (WorkThread.Priority, @escaping @Sendable () -> Void) -> Void
    private let pause: @Sendable (Duration) -> Void
    private let state = Mutex(State())
    private let announced = Atomic<Int64>(0)
    /// Whether a client has asked for a coding.
    private let isAskedFor = Atomic<Bool>(false)

    /// - Parameters:
    ///   - store: The bundles.
    ///   - quota: The most bytes that all forms together may take in the store.
    ///   - clock: Measures ``deltaTimeout``, ``announcementInterval``, ``VariantQueue/retryInterval`` and ``IdleDetector``.
    ///   - requestCount: The number of requests so far, of all clients.
    ///   - start: Runs the work of a priority on another thread, for any length of time.
    ///   - pause: Has such a thread wait.
    init(
        _ store: BundleStore,
        quota: Int64,
        clock: any Clock<Duration>,
        logger: Logger,
        requestCount: @escaping @Sendable () -> Int64,
        start: @escaping @Sendable (WorkThread.Priority, @escaping @Sendable () -> Void) -> Void = WorkThread.start,
        pause: @escaping @Sendable (Duration) -> Void = WorkThread.pause
    ) {
        self.store = store
        self.clock = clock
        elapsed = clock.stopwatch()
        self.logger = logger
        self.requestCount = requestCount
        self.start = start
        self.pause = pause
        variants = VariantStore(store, quota: quota)
        encoder = VariantEncoder(store: store, variants: variants, logger: logger)
    }

    var generation: Int64 { announced.load(ordering: .acquiring) }

    func variants(of asset: Asset, for preferences: CodingPreferences) -> [ContentVariant] {
        let contents = variants.contents(of: asset.digest).filter {
            $0.key.dictionary == nil || $0.key.dictionary == preferences.dictionary
        }
        let best = preferences.accepted.first { $0 != .identity && $0 != .dictionaryZstandard }
        if best != nil, !isAskedFor.exchange(true, ordering: .relaxed) { storeChanged(to: store.snapshot) }
        if let best, !contents.keys.contains(where: { $0.coding == best || $0.dictionary != nil }) {
            let key = VariantKey(asset.digest, best)
            if !variants.isSettled(key) { add(key, of: asset, .wanted) }
        }
        return contents.map { ContentVariant($0.key, $0.value) }
    }

    func pendingDelta(of asset: Asset, for preferences: CodingPreferences) -> (@Sendable () async -> Void)? {
        guard let digest = preferences.dictionary else { return nil }
        let key = VariantKey(asset.digest, from: digest)
        guard !variants.isSettled(key), encoder.dictionary(digest, for: asset) != nil else { return nil }
        add(key, of: asset, .awaited)
        guard let completion = completion(of: key) else { return nil }
        return { [clock] in
            await withTaskGroup { group in
                // Both end early when the group is cancelled.
                group.addTask { for await _ in completion {} }
                group.addTask { try? await clock.sleep(for: Self.deltaTimeout) }
                await group.next()
                group.cancelAll()
            }
        }
    }

    /// Adopts the store's new state: drops the forms of removed contents, forgets which forms could not be made,
    /// because there may be space now, and schedules the deltas that clients will request, if any client has asked for
    /// codings.
    func storeChanged(to snapshot: StoreSnapshot) {
        change { $0.add(snapshot) }
    }

    /// Drops the forms whose files were changed by other programs. Takes one file system call for each.
    func removeChanged() {
        variants.removeChanged()
        announce()
    }

    /// Works until the endpoint ends; then begins no more work.
    func run() async {
        storeChanged(to: store.snapshot)
        try? await gracefulShutdown()
        let waiters = state.withLock { state in
            state.isStopped = true
            state.queue.removeAll()
            defer { state.waiters = [:] }
            return state.waiters.values.joined()
        }
        for waiter in waiters { waiter.finish() }
    }

    /// A stream that ends when a form is no longer in progress; nil when it isn't.
    private func completion(of key: VariantKey) -> AsyncStream<Never>? {
        state.withLock { state in
            guard state.queue.isOpen(key) else { return nil }
            let (stream, continuation) = AsyncStream<Never>.makeStream()
            state.waiters[key, default: []].append(continuation)
            return stream
        }
    }

    private func add(_ key: VariantKey, of asset: Asset, _ urgency: VariantQueue.Urgency) {
        let now = elapsed()
        change { $0.add(key, of: asset, urgency, at: now) }
    }

    /// Changes the queue, and starts a thread for each priority that needs one.
    private func change(_ change: (inout VariantQueue) -> Void) {
        let priorities = state.withLock { state in
            guard !state.isStopped else { return [WorkThread.Priority]() }
            change(&state.queue)
            let priorities = WorkThread.Priority.allCases.filter {
                state.queue.hasJob(of: $0) && !state.running.contains($0)
            }
            state.running.formUnion(priorities)
            return priorities
        }
        for priority in priorities { start(priority) { self.work(at: priority) } }
    }

    /// Does one job after the other until there is none.
    private func work(at priority: WorkThread.Priority) {
        var unannounced = Duration.zero
        var idle = priority == .background ? IdleDetector(requestCount(), at: elapsed()) : nil
        while let job = nextJob(of: priority) {
            // Finished forms don't wait for a job that may take much longer.
            if job.isLong, unannounced > .zero {
                announce()
                unannounced = .zero
            }
            unannounced += clock.measure { perform(job, &idle) }
            guard unannounced >= Self.announcementInterval else { continue }
            announce()
            unannounced = .zero
        }
        announce()
    }

    private func perform(_ job: VariantQueue.Job, _ idle: inout IdleDetector?) {
        switch job {
        case .make(let key, let asset): finish(key, again: make(key, asset, &idle))
        case .takeIn(let snapshot): takeIn(snapshot)
        }
    }

    /// The threads do this in any order, so it must not decrease.
    private func announce() { announced.max(variants.generation, ordering: .releasing) }

    private func nextJob(of priority: WorkThread.Priority) -> VariantQueue.Job? {
        state.withLock { state in
            let job = state.queue.next(of: priority)
            if job == nil { state.running.remove(priority) }
            return job
        }
    }

    private func takeIn(_ snapshot: StoreSnapshot) {
        variants.removeSuperfluous(in: snapshot)
        let pairs = isAskedFor.load(ordering: .relaxed) ? DeltaPlan.pairs(in: snapshot) : []
        let now = elapsed()
        state.withLock { state in
            state.isFailing = false
            state.queue.reconsider()
            guard !state.isStopped else { return }
            for (asset, dictionary) in pairs {
                state.queue.add(VariantKey(asset.digest, from: dictionary.digest), of: asset, .expected, at: now)
            }
        }
    }

    /// Returns whether to try it again at the next request.
    private func make(_ key: VariantKey, _ asset: Asset, _ idle: inout IdleDetector?) -> Bool {
        do {
            try encoder.make(key, of: asset, mayWrite: !state.withLock(\.isFailing)) { try waitUntilIdle(&idle) }
            return false
        } catch let error as BundleError where error.code == .storeBusy {
            return true
        } catch is CancellationError {
            return true
        } catch {
            fail(error)
            return false
        }
    }

    /// Waits until no requests come in; not at all where responses wait for the work.
    ///
    /// - Throws: `CancellationError` when the endpoint has ended.
    private func waitUntilIdle(_ idle: inout IdleDetector?) throws {
        repeat {
            guard !state.withLock(\.isStopped) else { throw CancellationError() }
            guard let delay = idle?.delay(requestCount(), at: elapsed()) else { return }
            pause(delay)
        } while true
    }

    private func finish(_ key: VariantKey, again: Bool) {
        let now = elapsed()
        let waiters = state.withLock { state in
            state.queue.finish(key, again: again, at: now)
            return state.waiters.removeValue(forKey: key) ?? []
        }
        for waiter in waiters { waiter.finish() }
    }

    /// Reports the failure once.
    private func fail(_ error: any Error) {
        let isNew = state.withLock { state in
            defer { (state.isFailing, state.hasReported) = (true, true) }
            return !state.hasReported && !state.isStopped
        }
        if isNew { logger.warning("files are sent uncompressed, for their coded forms can't be kept: \(error)") }
    }
}

/// Has work in the background wait while requests come in: the load of a page is a burst of requests, with which the work would
/// compete for the processor. A steady stream of requests is none, and has it wait only once. A value type; pure.
struct IdleDetector {
    /// How long no request may have come.
    static let interval: Duration = .milliseconds(250)
    /// The longest time that requests without such an interval have the work wait.
    static let limit: Duration = .seconds(5)

    /// The number of requests when it was last asked for.
    private var count: Int64
    private var changedAt: Duration
    /// Since when there was no interval without requests; nil during one.
    private var busySince: Duration?

    /// Work begins, because of a request.
    ///
    /// - Parameters:
    ///   - count: The number of requests so far.
    ///   - now: The time since any fixed moment.
    init(_ count: Int64, at now: Duration) {
        (self.count, changedAt, busySince) = (count, now, now)
    }

    /// How long to wait until asking again; nil when the work may go on.
    ///
    /// - Parameters:
    ///   - count: The number of requests so far.
    ///   - now: The time since the same moment.
    mutating func delay(_ count: Int64, at now: Duration) -> Duration? {
        if count != self.count { (self.count, changedAt, busySince) = (count, now, busySince ?? now) }
        let rest = Self.interval - (now - changedAt)
        guard rest > .zero else {
            busySince = nil
            return nil
        }
        return busySince.map { now - $0 < Self.limit } == true ? rest : nil
    }
}

/// Which deltas clients may request next (RFC 9842): a client that has loaded a page of the version before has its
/// files, and requests those of the active one. Pure.
enum DeltaPlan {
    /// Each file of an active release with the file of the release before it whose name differs only in the hash. If
    /// there are several, it isn't known which one a client uses: then it is determined at the client's request.
    static func pairs(in snapshot: StoreSnapshot) -> [(asset: Asset, dictionary: Asset)] {
        snapshot.sortedBundles.flatMap { bundle -> [(Asset, Asset)] in
            guard let active = bundle.active, let earlier = bundle.retained.first else { return [] }
            let dictionaries = Dictionary(grouping: earlier.assets.filter { $0.versionPattern != nil }) {
                $0.versionPattern
            }
            return active.assets.compactMap { asset in
                guard let pattern = asset.versionPattern, let found = dictionaries[pattern], found.count == 1,
                    let dictionary = found.first, dictionary.path != asset.path
                else { return nil }
                return (asset, dictionary)
            }
        }
    }
}
