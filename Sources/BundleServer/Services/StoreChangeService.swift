import BundleServing
import BundleStore
import Logging
import ServiceLifecycle
import Synchronization

/// Checks regularly whether another process has installed, activated, rolled back or removed something, also while no
/// request comes (``PromptRefresh``), and reports which releases are damaged.
struct StoreChangeService: Service {
    /// Changes must be noticed within a second; a check that finds none costs a few microseconds.
    static let interval: Duration = .milliseconds(250)
    /// After how many checks the files are checked too: one system call for each.
    private static let fileLookCount = 4

    private let store: BundleStore
    private let resolver: LiveResolver
    private let health: EndpointHealth
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let onLook: @Sendable () -> Void
    /// When the service was made.
    private let initialGeneration: Int64
    private let onChange: @Sendable (StoreSnapshot) -> Void

    /// - Parameters:
    ///   - resolver: The resolver of the same store.
    ///   - health: Informed whether the store can be read.
    ///   - onLook: Called before each check.
    ///   - onChange: Called with the store's snapshot when it has changed.
    init(
        _ store: BundleStore,
        _ resolver: LiveResolver,
        health: EndpointHealth,
        clock: any Clock<Duration>,
        logger: Logger,
        onLook: @escaping @Sendable () -> Void = {},
        onChange: @escaping @Sendable (StoreSnapshot) -> Void = { _ in }
    ) {
        self.store = store
        self.resolver = resolver
        self.health = health
        self.clock = clock
        self.logger = logger
        self.onLook = onLook
        self.onChange = onChange
        initialGeneration = resolver.generation
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            var (isFailing, generation) = (false, initialGeneration)
            var knownDamage: [StoreDamage] = []
            var knownDegradations: [String] = []
            var lookCount = 0
            while !Task.isCancelled {
                if lookCount % Self.fileLookCount == 0 { recheckFiles() }
                lookCount &+= 1
                onLook()
                isFailing = refresh(isFailing: isFailing)
                generation = reportChange(since: generation)
                knownDamage = report(known: knownDamage)
                knownDegradations = reportDegradations(known: knownDegradations)
                // Throws only when the service is shut down or cancelled, which the loop's condition detects.
                try? await clock.sleep(for: Self.interval)
            }
        }
    }

    /// Compares changed files with their digests again. A check that fails now is repeated the next time.
    private func recheckFiles() {
        guard (try? store.recheckFiles()) == true else { return }
        logger.warning("files of the store were changed or cut; their contents are compared with their digests again")
    }

    /// Reports what has been damaged since the last check. Returns all current damage.
    private func report(known: [StoreDamage]) -> [StoreDamage] {
        let damage = store.snapshot.damage
        for release in damage where !known.contains(release) { logger.warning("not served: \(release)") }
        return damage
    }

    /// Reports when another release is first served in place of an active one that can't be opened, and when all can be
    /// opened again.
    private func reportDegradations(known: [String]) -> [String] {
        let degradations = store.snapshot.degradations
        health.note(degradations: degradations)
        for degradation in degradations where !known.contains(degradation) { logger.error("degraded: \(degradation)") }
        if degradations.isEmpty, !known.isEmpty { logger.notice("every active version can be opened again") }
        return degradations
    }

    /// Reports when another state is served than at the last check, whoever has noticed the change first. Returns the
    /// generation of the current one.
    private func reportChange(since known: Int64) -> Int64 {
        let generation = resolver.generation
        guard generation != known else { return known }
        logger.info("the store has changed; the new state is being served")
        onChange(store.snapshot)
        return generation
    }

    /// Reports a failure when it begins and when it ends, not at each check. Returns whether it fails now.
    private func refresh(isFailing: Bool) -> Bool {
        do {
            try resolver.refresh()
            if isFailing { logger.notice("the store can be read again") }
            health.noteStore(failure: nil)
            return false
        } catch {
            health.noteStore(failure: "\(error)")
            if !isFailing { logger.error("the last known state is being served: \(error)") }
            return true
        }
    }
}

/// Makes a change of the store count for each request that begins after it: what `install` has reported is served. The
/// ``StoreChangeService`` notices the same changes later, and those that can't be seen here.
///
/// Thread-safe.
final class PromptRefresh: Sendable {
    private let store: BundleStore
    private let resolver: LiveResolver
    /// The store's count of commits at the last refresh, in the lower half; no such value before the first.
    private let known = Atomic<UInt64>(.max)

    /// - Parameter resolver: The resolver of the same store.
    init(_ store: BundleStore, _ resolver: LiveResolver) {
        self.store = store
        self.resolver = resolver
    }

    /// Refreshes the resolver if the catalog has been changed. Otherwise reads memory only, and takes no lock.
    func callAsFunction() {
        guard let count = store.commitCount.map(UInt64.init), count != known.load(ordering: .acquiring) else { return }
        // The watcher reports failures, and tries again.
        _ = try? resolver.refresh()
        // Afterwards: a request on another thread must not go on with the earlier state meanwhile.
        known.store(count, ordering: .releasing)
    }
}
