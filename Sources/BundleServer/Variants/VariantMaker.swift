import BundleServing
import BundleStore
import Logging
import ServiceLifecycle
import Synchronization

/// Has the coded forms made of the files that are asked for, one after the other, off the path of the requests: the first
/// answers with a file are sent as it is, later ones in the coding that suits the client best. The differences between a new
/// version and the one before (RFC 9842) are made when it has become active, before anybody asks.
///
/// Each form is tried once for as long as the store stays the same, and again after ``VariantQueue/retryInterval``: then one
/// that has gone because of the quota comes back, if it is asked for. Thread-safe.
final class VariantMaker: VariantProvider, Service {
    /// How long a response waits for a difference: about what it would save on a slow line.
    static let patience: Duration = .milliseconds(500)
    /// For how long forms are made, at most, before answers are looked for among them: whoever keeps answers makes all of
    /// them anew then, which isn't worth it for each single form.
    static let announcementInterval: Duration = .seconds(1)

    private struct State {
        var queue = VariantQueue()
        var waiters: [VariantKey: [AsyncStream<Never>.Continuation]] = [:]
        /// The lanes that have a thread.
        var busyLanes: Set<VariantQueue.Lane> = []
        var isStopped = false
        /// Whether the store could not be written: then nothing is written until it changes.
        var isFailing = false
        /// Whether that was said.
        var hasReported = false
    }

    private let store: BundleStore
    private let variants: VariantStore
    private let encoder: VariantEncoder
    private let clock: any Clock<Duration>
    /// The time since the maker was made.
    private let elapsed: @Sendable () -> Duration
    private let logger: Logger
    private let start: @Sendable (VariantQueue.Lane, @escaping @Sendable () -> Void) -> Void
    private let state = Mutex(State())
    private let announced = Atomic<Int64>(0)

    /// - Parameters:
    ///   - store: The bundles.
    ///   - quota: How many bytes the forms may have together in the store.
    ///   - clock: What ``patience``, ``announcementInterval`` and ``VariantQueue/retryInterval`` are measured by.
    ///   - start: Runs a lane's work on another thread, which it may take for as long as it likes.
    init(
        _ store: BundleStore,
        quota: Int64,
        clock: any Clock<Duration>,
        logger: Logger,
        start: @escaping @Sendable (VariantQueue.Lane, @escaping @Sendable () -> Void) -> Void = WorkThread.start
    ) {
        self.store = store
        self.clock = clock
        elapsed = clock.stopwatch()
        self.logger = logger
        self.start = start
        variants = VariantStore(store, quota: quota)
        encoder = VariantEncoder(store: store, variants: variants, logger: logger)
    }

    var generation: Int64 { announced.load(ordering: .acquiring) }

    func variants(of asset: Asset, for preferences: CodingPreferences) -> [ContentVariant] {
        let contents = variants.contents(of: asset.digest).filter {
            $0.key.dictionary == nil || $0.key.dictionary == preferences.dictionary
        }
        let best = preferences.accepted.first { $0 != .identity && $0 != .dictionaryZstandard }
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
                group.addTask { try? await clock.sleep(for: Self.patience) }
                await group.next()
                group.cancelAll()
            }
        }
    }

    /// Takes note of what the store has now: forgets what belongs to contents that it has no more, and what could not be
    /// made, since there may be room now, and has the differences made that will be asked for.
    func storeChanged(to snapshot: StoreSnapshot) {
        change { $0.add(snapshot) }
    }

    /// Forgets the forms whose files were changed behind the store's back. Asks the file system for each one.
    func removeChanged() {
        variants.removeChanged()
        announce()
    }

    /// Works until the endpoint ends; then begins nothing any more.
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

    /// A stream that ends when a form is no longer under way; nil when it isn't.
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

    /// Changes what is to be done, and sees to it that somebody does it.
    private func change(_ change: (inout VariantQueue) -> Void) {
        let lanes = state.withLock { state in
            guard !state.isStopped else { return [VariantQueue.Lane]() }
            change(&state.queue)
            let lanes = VariantQueue.Lane.allCases.filter {
                state.queue.hasJob(in: $0) && !state.busyLanes.contains($0)
            }
            state.busyLanes.formUnion(lanes)
            return lanes
        }
        for lane in lanes { start(lane) { self.work(in: lane) } }
    }

    /// Does one job after the other until there is none.
    private func work(in lane: VariantQueue.Lane) {
        var unannounced = Duration.zero
        while let job = nextJob(in: lane) {
            // What is made doesn't wait for what may take much longer.
            if job.isLong, unannounced > .zero {
                announce()
                unannounced = .zero
            }
            unannounced += clock.measure { perform(job) }
            guard unannounced >= Self.announcementInterval else { continue }
            announce()
            unannounced = .zero
        }
        announce()
    }

    private func perform(_ job: VariantQueue.Job) {
        switch job {
        case .make(let key, let asset): finish(key, again: make(key, asset))
        case .takeIn(let snapshot): takeIn(snapshot)
        }
    }

    /// The lanes do this in any order, so it must not go back.
    private func announce() { announced.max(variants.generation, ordering: .releasing) }

    private func nextJob(in lane: VariantQueue.Lane) -> VariantQueue.Job? {
        state.withLock { state in
            let job = state.queue.next(in: lane)
            if job == nil { state.busyLanes.remove(lane) }
            return job
        }
    }

    private func takeIn(_ snapshot: StoreSnapshot) {
        variants.removeSuperfluous(in: snapshot)
        let pairs = DeltaPlan.pairs(in: snapshot)
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

    /// Returns whether to try it again when it is asked for again.
    private func make(_ key: VariantKey, _ asset: Asset) -> Bool {
        do {
            try encoder.make(key, of: asset, mayWrite: !state.withLock(\.isFailing))
            return false
        } catch let error as BundleError where error.code == .storeBusy {
            return true
        } catch {
            fail(error)
            return false
        }
    }

    private func finish(_ key: VariantKey, again: Bool) {
        let now = elapsed()
        let waiters = state.withLock { state in
            state.queue.finish(key, again: again, at: now)
            return state.waiters.removeValue(forKey: key) ?? []
        }
        for waiter in waiters { waiter.finish() }
    }

    /// Says it once.
    private func fail(_ error: any Error) {
        let isNews = state.withLock { state in
            defer { (state.isFailing, state.hasReported) = (true, true) }
            return !state.hasReported && !state.isStopped
        }
        if isNews { logger.warning("files are sent uncompressed, for their coded forms can't be kept: \(error)") }
    }
}
