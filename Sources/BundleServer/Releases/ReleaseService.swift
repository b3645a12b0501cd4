import BundleServing
import BundleStore
import Logging
import Synchronization

/// Activates the releases that wait for an idle bundle, and takes those back that should have been confirmed by now.
/// Thread-safe.
final class ReleaseService: Sendable {
    private let store: BundleStore
    private let ledger: TallyLedger
    private let calls: PageCallCounts
    private let idleInterval: @Sendable () -> Duration
    private let logger: Logger
    private let idle = Mutex(IdleBundles())

    /// - Parameters:
    ///   - ledger: Where the event loops count responses.
    ///   - calls: Counts what pages ask about their bundles.
    ///   - idleInterval: How long nobody may have asked for anything of a bundle that is idle, now.
    init(
        _ store: BundleStore,
        counting ledger: TallyLedger,
        _ calls: PageCallCounts,
        idleInterval: @escaping @Sendable () -> Duration,
        logger: Logger
    ) {
        (self.store, self.ledger, self.calls) = (store, ledger, calls)
        (self.idleInterval, self.logger) = (idleInterval, logger)
    }

    /// Does what the start of a server does: activates what has waited for it, and takes those back that have had all their
    /// starts. Before anything is served.
    static func begin(_ store: BundleStore, _ logger: Logger) {
        for (name, version) in store.activatePending(where: { _, _ in true }) {
            logger.info("\(name) \(version) is active now: it has waited for this start")
        }
        for release in store.judgeStarts() { log(release, logger) }
    }

    /// Looks whether something is due. Takes microseconds when nothing is; waits for the disk otherwise.
    ///
    /// - Parameter now: The time since any fixed moment.
    func look(at now: Duration) {
        for release in store.judgeProbations() { Self.log(release, logger) }
        let waiting = store.snapshot.bundles.values.filter { $0.lifecycle.pending?.mode == .whenIdle }.map(\.name)
        let idle = Set(waiting.isEmpty ? [] : idle(among: waiting, at: now))
        guard !idle.isEmpty else { return }
        for (name, version) in store.activatePending(where: { idle.contains($0.name) && $1.mode == .whenIdle }) {
            logger.info("\(name) \(version) is active now: nobody used the one before")
        }
    }

    private func idle(among names: [BundleName], at now: Duration) -> [BundleName] {
        let (counts, idleInterval) = (counts, idleInterval())
        return idle.withLock { idle in
            idle.take(counts, of: names, at: now)
            return names.filter { idle.isIdle($0, for: idleInterval, at: now) }
        }
    }

    private var counts: [BundleName: Int64] {
        var counts = calls.all
        for (kind, totals) in ledger.totals {
            if let name = kind.bundle { counts[name, default: 0] += totals.requestCount }
        }
        return counts
    }

    private static func log(_ release: BadRelease, _ logger: Logger) {
        if let obstacle = release.obstacle {
            logger.error(
                "\(release.name) \(release.version) is \(release.reason), and the one before can't take its place: \(obstacle)"
            )
            return
        }
        let result =
            release.stays
            ? "it stays, because there is no earlier one" : "\(release.active?.string ?? "none") is active"
        logger.error("\(release.name) \(release.version) was marked bad: \(release.reason); \(result)")
    }
}

/// Which bundles nobody asks for, by the numbers of requests. A value type; pure.
struct IdleBundles {
    private struct Use {
        var count: Int64
        /// Since when the count is the same.
        var since: Duration
    }

    private var uses: [BundleName: Use] = [:]

    /// Takes the numbers of requests so far.
    ///
    /// - Parameters:
    ///   - counts: By bundle; they only grow, and a bundle without one wasn't asked for.
    ///   - now: The time since any fixed moment.
    mutating func take(_ counts: [BundleName: Int64], of names: some Sequence<BundleName>, at now: Duration) {
        for name in names {
            let count = counts[name] ?? 0
            if uses[name]?.count != count { uses[name] = Use(count: count, since: now) }
        }
    }

    /// Whether a bundle wasn't asked for during the last `interval`.
    func isIdle(_ name: BundleName, for interval: Duration, at now: Duration) -> Bool {
        uses[name].map { now - $0.since >= interval } ?? false
    }
}
