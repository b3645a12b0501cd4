import BundleNetwork
import BundleStore
import BundleUpdate
import Logging
import ServiceLifecycle
import Synchronization

/// Updates every bundle that has a feed, each at an interval of its own: what holds one up delays no other. A failure is
/// logged and never ends the server. For one run.
final class UpdateService: Service {
    /// What the bundles have in common.
    private struct State: Sendable {
        /// The bundles that are updated.
        var followed: Set<BundleName> = []
        /// Those that have a new version, and whose old ones haven't been removed.
        var unpruned: Set<BundleName> = []
        /// What the last update of a bundle failed with; no entry for those that didn't fail.
        var failures: [BundleName: String] = [:]
        /// The same for looking for new bundles.
        var storeFailure: String?
    }

    private let store: BundleStore
    private let updater: Updater
    private let pace: CheckPace
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - updater: One that knows that a clock asks.
    ///   - pace: The time from the end of a bundle's update to the start of its next one; and its interval is how often it
    ///     looks for new bundles.
    init(
        _ store: BundleStore,
        updater: Updater,
        pace: CheckPace,
        clock: any Clock<Duration>,
        logger: Logger
    ) {
        self.store = store
        self.updater = updater
        self.pace = pace
        self.clock = clock
        self.logger = logger
    }

    func run() async {
        await cancelWhenGracefulShutdown { [self] in
            // Sleeping throws only when the service is shut down or cancelled, which the loops' conditions detect.
            try? await clock.sleep(for: pace.firstDelay)
            await withDiscardingTaskGroup { group in
                while !Task.isCancelled {
                    for name in newBundles() { group.addTask { await self.follow(name) } }
                    try? await clock.sleep(for: pace.interval)
                }
            }
        }
    }

    /// The bundles that nobody follows yet.
    private func newBundles() -> [BundleName] {
        do {
            try store.refresh()
            let names = try store.snapshot.sortedBundles.map(\.name).filter(hasFeed)
            if state.withLock({ $0.storeFailure.take() }) != nil { logger.notice("updates are looked for again") }
            return state.withLock { state in names.filter { state.followed.insert($0).inserted } }
        } catch {
            // It can't be read, or was replaced: nothing is downloaded for it, and no lock is made in the other one.
            let failure = "\(error)"
            let isNew = state.withLock { state in
                defer { state.storeFailure = failure }
                return state.storeFailure != failure
            }
            if isNew { logger.warning("no update was looked for: \(failure)") }
            return []
        }
    }

    private func hasFeed(_ name: BundleName) throws -> Bool {
        guard let bundle = store.snapshot.bundles[name] else { return false }
        return try bundle.hasFeed || store.updateState(of: name)?.chosenFeed != nil
    }

    /// Updates a bundle again and again, for as long as it has a feed.
    private func follow(_ name: BundleName) async {
        while !Task.isCancelled, (try? hasFeed(name)) ?? true {
            await update(name)
            await prune()
            try? await clock.sleep(for: pace.delay)
        }
        state.withLock { state in
            state.followed.remove(name)
            state.failures[name] = nil
        }
    }

    private func update(_ name: BundleName) async {
        // Throws when the store can't be read, which is reported where new bundles are looked for; and at a shutdown, after
        // which the next start resumes the update.
        _ = try? await updater.updateAll(
            [name],
            onOutcome: { outcome in
                guard log(outcome) else { return }
                state.withLock { _ = $0.unpruned.insert(name) }
            }
        )
    }

    /// Returns whether there is a new version.
    private func log(_ outcome: FeedOutcome<UpdateResult>) -> Bool {
        switch outcome.result {
        case .success(let result):
            if case .pending(let check, _, _) = result {
                let version = check.available.map { " \($0.version)" } ?? ""
                logger.info("installed \(check.name)\(version), which becomes active later")
            }
            let problem = result.check.problem.map { "\($0)" }
            // A release that was refused for good isn't asked for again; the failure goes on.
            if problem != nil || result.check.decision.failure == nil { note(problem, of: outcome.name) }
            guard case .updated(let check, _, _) = result else { return false }
            let versions = [check.local, check.available?.version].compactMap { $0?.string }.joined(separator: " to ")
            logger.info("updated \(outcome.name): \(versions)")
            log(result.quotaRemoval)
            return true
        case .failure(let postponement as UpdatePostponement):
            logger.debug("\(outcome.name) is not updated now: \(postponement)")
            return false
        case .failure(let error):
            note("\(error)", of: outcome.name, advice: postponement(of: outcome.name, after: error))
            return false
        case nil: return false
        }
    }

    /// Logs a failure when it begins or changes, and its end, not each time.
    private func note(_ failure: String?, of name: BundleName, advice: String = "") {
        let previous = state.withLock { state in
            defer { state.failures[name] = failure }
            return state.failures[name]
        }
        guard failure != previous else { return }
        if let failure {
            logger.warning("\(name) was not updated: \(failure)\(advice)")
        } else {
            logger.notice("\(name) can be updated again")
        }
    }

    /// What the log says of the next attempt for a release that was fetched and can't be used.
    private func postponement(of name: BundleName, after error: any Error) -> String {
        guard let refusal = (error as? BundleError)?.cause as? RefusedRelease else { return "" }
        guard !refusal.isFinal else { return "; this archive isn't downloaded again" }
        guard let retry = try? store.retry(of: name, .release(refusal.release.digest)) else { return "" }
        let minutes = Int(retry.pause / 60)
        return "; the server won't download this archive again for \(minutes) min, an update by hand does"
    }

    /// Removes the old versions of what has a new one; the end of the next update tries again when it can't.
    private func prune() async {
        let names = state.withLock(\.unpruned)
        guard !names.isEmpty else { return }
        do {
            guard let report = try await updater.pruneUnlessBusy(of: names) else { return }
            state.withLock { $0.unpruned.subtract(names) }
            log(report.releases)
            for warning in report.warnings { logger.warning("\(warning)") }
        } catch {
            if !Task.isCancelled { logger.warning("old versions were not removed: \(error)") }
        }
    }

    private func log(_ removal: QuotaRemoval) {
        log(removal.releases)
        guard removal.responseCount > 0 else { return }
        logger.info(
            "dropped \(removal.responseCount) kept responses of \(ByteCount.text(removal.responseByteCount)): the quota had no room for them"
        )
    }

    private func log(_ removed: [RemovedRelease]) {
        for release in removed {
            logger.info("\(release)")
        }
    }
}

/// Runs the updates as they are configured now. A change ends those under way; the next ones resume them. For one run.
final class ConfigurableUpdateService: Service {
    private let schedulers: AsyncStream<UpdateService?>
    private let continuation: AsyncStream<UpdateService?>.Continuation

    init() {
        (schedulers, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Updates by this scheduler from now on; nil for no updates. Returns at once.
    func follow(_ scheduler: UpdateService?) { continuation.yield(scheduler) }

    func run() async {
        var updates: Task<Void, Never>?
        for await scheduler in schedulers.cancelOnGracefulShutdown() {
            updates?.cancel()
            await updates?.value
            updates = scheduler.map { scheduler in Task { await scheduler.run() } }
        }
        updates?.cancel()
        await updates?.value
    }
}
