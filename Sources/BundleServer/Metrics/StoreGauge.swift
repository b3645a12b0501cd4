import BundleStore
import BundleUpdate
import Dispatch
import Foundation
import Synchronization

/// The metrics of the store that must be read from disk: its sizes, for which all indexes are iterated, and the results
/// of the updates. Determined at most once a minute. Thread-safe.
final class StoreGauge: Sendable {
    private static let maximumAge: Duration = .seconds(60)
    /// How old they may be for the dashboard when the store has changed since.
    private static let maximumAgeAfterChange: Duration = .seconds(5)

    private struct Findings: Sendable {
        /// The state of the store that they are of.
        let generation: Int64
        let storage: StorageReport
        /// The update states of the bundles that have a feed, by name.
        let updates: [(name: String, state: UpdateState)]
        /// By what the feeds of these bundles are trusted, if they have to be signed.
        let trust: [TrustReport]
    }

    private let store: BundleStore
    private let now: @Sendable () -> ContinuousClock.Instant
    private let last = Mutex<(findings: Findings, time: ContinuousClock.Instant)?>(nil)
    /// The states of the releases, and the store's generation that they are of.
    private let lastStates = Mutex<(states: [(name: BundleName, states: ReleaseStates)], generation: Int64)?>(nil)
    private let rollbacks: RollbackCounter
    private let queue = DispatchQueue(label: "store gauge")

    /// Rollbacks are counted from now on.
    init(_ store: BundleStore, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.store = store
        rollbacks = RollbackCounter(store)
        self.now = now
    }

    /// Writes sizes, versions and their states, damage, rollbacks and update checks. Values that can't be read are left out.
    func write(to text: inout PrometheusText) async {
        let findings = await findings()
        if let findings { Self.write(findings.storage, to: &text) }
        Self.write(store.snapshot, to: &text)
        let (states, rollbacks) = await lifecycles()
        Self.write(states, to: &text)
        rollbacks.write(to: &text)
        guard let findings else { return }
        Self.write(findings.updates, to: &text)
        Self.write(findings.trust, to: &text)
    }

    /// How much room each part of the store takes, a few seconds after the store was changed by this time; nil when that can't
    /// be read.
    func storage() async -> StorageReport? { await findings(followingChanges: true)?.storage }

    /// Determined on a queue of its own, because it reads files, and shared by several scrapers.
    private func findings(followingChanges: Bool = false) async -> Findings? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.currentFindings(followingChanges)) }
        }
    }

    private func currentFindings(_ followsChanges: Bool) -> Findings? {
        let time = now()
        let generation = store.snapshot.generation
        if let (findings, since) = last.withLock({ $0 }) {
            let isOutdated = followsChanges && findings.generation != generation
            if time - since < (isOutdated ? Self.maximumAgeAfterChange : Self.maximumAge) { return findings }
        }
        guard let storage = try? store.storageReport() else { return nil }
        let updates = store.snapshot.sortedBundles.compactMap { bundle -> (String, UpdateState)? in
            guard let state = try? store.updateState(of: bundle.name), bundle.hasFeed || state.chosenFeed != nil else {
                return nil
            }
            return (bundle.name.string, state)
        }
        let trust = store.snapshot.sortedBundles.compactMap { try? TrustReport(of: $0.name, in: store) }
        let findings = Findings(generation: generation, storage: storage, updates: updates, trust: trust)
        last.withLock { $0 = (findings, time) }
        return findings
    }

    /// What is in the catalog of the releases now.
    private func lifecycles() async -> ([(name: BundleName, states: ReleaseStates)], RollbackCounts) {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: (self.releaseStates(), self.rollbacks.counts())) }
        }
    }

    /// Read again when the store has changed.
    private func releaseStates() -> [(name: BundleName, states: ReleaseStates)] {
        let snapshot = store.snapshot
        if let (states, generation) = lastStates.withLock({ $0 }), generation == snapshot.generation { return states }
        guard let bad = try? store.badVersions() else { return [] }
        let states = snapshot.sortedBundles.map { bundle in
            let held = try? store.updateState(of: bundle.name)?.heldVersion
            return (bundle.name, ReleaseStates(bundle, held: held, bad: bad[bundle.name] ?? []))
        }
        lastStates.withLock { $0 = (states, snapshot.generation) }
        return states
    }

    private static func write(_ releases: [(name: BundleName, states: ReleaseStates)], to text: inout PrometheusText) {
        text.gauge("bundlectl_release_state", "1 for each state that a release has, 0 for the others.")
        for (name, states) in releases { states.write(of: name, to: &text) }
    }

    private static func write(_ report: StorageReport, to text: inout PrometheusText) {
        text.gauge("bundlectl_store_bytes", "Bytes that the store takes, by what they are; as of at most a minute ago.")
        for (kind, byteCount) in report.parts { text.sample([("kind", kind)], byteCount) }
        guard let quota = report.quota else { return }
        text.gauge("bundlectl_store_quota_bytes", "Bytes that segments, indexes and cache may have together.")
        text.sample([], quota)
    }

    private static func write(_ snapshot: StoreSnapshot, to text: inout PrometheusText) {
        text.gauge("bundlectl_release_info", "1 for each release that the store holds.")
        for release in snapshot.sortedBundles.flatMap(\.releases) {
            text.sample(
                [
                    ("bundle", release.name.string), ("version", release.version.string),
                    ("state", release.state.rawValue),
                ],
                1
            )
        }
        text.gauge("bundlectl_damaged_releases", "Releases that are damaged and aren't served.")
        text.sample([], snapshot.damage.count)
        text.gauge("bundlectl_degraded_bundles", "Bundles whose active version can't be opened; another is served.")
        text.sample([], snapshot.degradations.count)
    }

    private static func write(_ updates: [(name: String, state: UpdateState)], to text: inout PrometheusText) {
        text.gauge(
            "bundlectl_update_checked_timestamp_seconds",
            "When a bundle's feed was last read; as of at most a minute ago."
        )
        for (name, state) in updates {
            if let date = state.checkedAt { text.sample([("bundle", name)], date.timeIntervalSince1970) }
        }
        text.gauge("bundlectl_update_failing", "1 when a bundle's last check or update failed, else 0.")
        for (name, state) in updates { text.sample([("bundle", name)], state.lastFailure == nil ? 0 : 1) }
        text.gauge("bundlectl_update_on_hold", "1 while updates leave a bundle as it is, else 0.")
        for (name, state) in updates { text.sample([("bundle", name)], state.isOnHold ? 1 : 0) }
    }

    private static func write(_ reports: [TrustReport], to text: inout PrometheusText) {
        let signed = reports.flatMap { report in
            report.roles.compactMap { role in role.expires.map { (report.name.string, role, $0) } }
        }
        guard !signed.isEmpty else { return }
        text.gauge(
            "bundlectl_trust_expiry_timestamp_seconds",
            "Until when a role of a bundle's feed is signed: updates end then, and what is installed stays."
        )
        for (name, role, expiry) in signed {
            text.sample([("bundle", name), ("role", role.name)], expiry.timeIntervalSince1970)
        }
        text.gauge(
            "bundlectl_trust_due",
            "1 when a role should have been signed again, half of its life being over, else 0."
        )
        for (name, role, _) in signed { text.sample([("bundle", name), ("role", role.name)], role.isDue ? 1 : 0) }
    }
}

extension StorageReport {
    /// The sizes of the store's parts, in bytes, by names for programs.
    var parts: [(kind: String, byteCount: Int64)] {
        [
            ("live", contentByteCount - deadByteCount - undeterminedByteCount), ("dead", deadByteCount),
            ("undetermined", undeterminedByteCount), ("index", indexByteCount), ("cache", cacheByteCount),
            ("variant", variantByteCount), ("download", downloadByteCount), ("incoming", incomingByteCount),
            ("catalog", catalogByteCount),
        ]
    }
}

/// Counts the results of scrubs and repairs. Thread-safe.
final class ScrubStatistics: Sendable {
    private let runs = Atomic<UInt64>(0)
    private let readBytes = Atomic<UInt64>(0)
    private let damaged = Atomic<UInt64>(0)
    private let repaired = Atomic<UInt64>(0)
    private let lastRun = Mutex<Date?>(nil)

    /// Counts a completed scrub.
    func recordRun(readByteCount: Int64, damagedCount: Int, at date: Date) {
        runs.wrappingAdd(1, ordering: .relaxed)
        readBytes.wrappingAdd(UInt64(clamping: readByteCount), ordering: .relaxed)
        damaged.wrappingAdd(UInt64(clamping: damagedCount), ordering: .relaxed)
        lastRun.withLock { $0 = date }
    }

    /// Counts repaired items.
    func recordRepair(_ count: Int) { repaired.wrappingAdd(UInt64(clamping: count), ordering: .relaxed) }

    /// Writes everything; the time of the last scrub only when there was one.
    func write(to text: inout PrometheusText) {
        text.counter("bundlectl_scrub_runs_total", "Scrubs of the whole store that were completed.")
        text.sample([], runs.load(ordering: .relaxed))
        text.counter("bundlectl_scrub_read_bytes_total", "Bytes of segments that scrubs have read.")
        text.sample([], readBytes.load(ordering: .relaxed))
        text.counter("bundlectl_scrub_damaged_total", "Damaged files, releases and kept responses found by scrubs.")
        text.sample([], damaged.load(ordering: .relaxed))
        text.counter("bundlectl_repaired_total", "Items that the server has repaired, or dropped, by itself.")
        text.sample([], repaired.load(ordering: .relaxed))
        guard let date = lastRun.withLock({ $0 }) else { return }
        text.gauge("bundlectl_scrub_last_run_timestamp_seconds", "When a scrub was last completed.")
        text.sample([], date.timeIntervalSince1970.rounded())
    }
}
