import BundleNetwork
import BundleStore
import Logging
import ServiceLifecycle

/// Updates every bundle that has a feed, at an interval. A failure is logged and never ends the server.
struct UpdateScheduler: Service {
    private let store: BundleStore
    private let updater: Updater
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let firstDelay: Duration

    /// - Parameters:
    ///   - updater: One that knows that a clock asks.
    ///   - interval: The time from one round's end to the next one's start, more than zero.
    ///   - firstDelay: The time until the first round; by default up to a tenth of the interval, so that devices that
    ///     are switched on together don't ask feeds at the same time.
    init(
        _ store: BundleStore,
        updater: Updater,
        interval: Duration,
        clock: any Clock<Duration>,
        logger: Logger,
        firstDelay: Duration? = nil
    ) {
        self.store = store
        self.updater = updater
        self.interval = interval
        self.clock = clock
        self.logger = logger
        self.firstDelay = firstDelay ?? interval * Double.random(in: 0..<0.1)
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            var unpruned: Set<BundleName> = []
            // Sleeping throws only when the service is shut down or cancelled, which the loop's condition detects.
            try? await clock.sleep(for: firstDelay)
            while !Task.isCancelled {
                unpruned.formUnion(await updateAll())
                if !unpruned.isEmpty, prune(unpruned) { unpruned = [] }
                try? await clock.sleep(for: interval)
            }
        }
    }

    /// Returns the bundles that have a new version.
    private func updateAll() async -> Set<BundleName> {
        var updated: Set<BundleName> = []
        do {
            try await updater.updateAll(onOutcome: { outcome in
                if log(outcome) { updated.insert(outcome.name) }
            })
        } catch {
            // A shutdown isn't a failure; the next start resumes an update. Otherwise the store can't be read, or was
            // replaced: nothing is downloaded for it, and no lock is made in the other one.
            if !Task.isCancelled { logger.warning("no update was looked for: \(error)") }
        }
        return updated
    }

    /// Returns whether there is a new version.
    private func log(_ outcome: FeedOutcome<UpdateResult>) -> Bool {
        switch outcome.result {
        case .success(let result):
            if case .pending(let check, _, _) = result {
                let version = check.available.map { " \($0.version)" } ?? ""
                logger.info("installed \(check.name)\(version), which becomes active later")
            }
            if let problem = result.check.problem { logger.warning("\(outcome.name) was not updated: \(problem)") }
            guard case .updated(let check, _, _) = result else { return false }
            let versions = [check.local, check.available?.version].compactMap { $0?.string }.joined(separator: " to ")
            logger.info("updated \(outcome.name): \(versions)")
            log(result.quotaRemoval)
            return true
        case .failure(let postponement as UpdatePostponement):
            logger.debug("\(outcome.name) is not updated now: \(postponement)")
            return false
        case .failure(let error):
            logger.warning("\(outcome.name) was not updated: \(error)\(postponement(of: outcome.name, after: error))")
            return false
        case nil: return false
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

    /// Returns whether the old versions are removed; the next round tries again when they aren't.
    private func prune(_ names: Set<BundleName>) -> Bool {
        do {
            guard let report = try store.pruneUnlessBusy(of: names) else { return false }
            log(report.releases)
            for warning in report.warnings { logger.warning("\(warning)") }
            return true
        } catch {
            logger.warning("old versions were not removed: \(error)")
            return false
        }
    }

    private func log(_ removal: QuotaRemoval) {
        log(removal.releases)
        guard removal.responseCount > 0 else { return }
        logger.info(
            "dropped \(removal.responseCount) kept responses of \(removal.responseByteCount) bytes: the quota had no room for them"
        )
    }

    private func log(_ removed: [RemovedRelease]) {
        for release in removed {
            logger.info("\(release)")
        }
    }
}
