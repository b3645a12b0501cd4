import BundleStore
import BundleUpdate
import Dispatch
import Foundation
import Synchronization

/// The metrics of the store. What takes long is determined at most once a minute: its sizes, for which all indexes are iterated, and
/// the states of the updates. Thread-safe.
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
    private let fleet: FleetGauge
    private let queue = DispatchQueue(label: "store gauge")

    init(_ store: BundleStore, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.store = store
        fleet = FleetGauge(store)
        self.now = now
    }

    /// Writes sizes, releases and what has become of them, damage, and updates. Values that can't be read are left out.
    func write(to page: inout MetricPage) async {
        let findings = await findings()
        if let findings { Self.write(findings.storage, to: &page) }
        await writeFleet(to: &page)
        guard let findings else { return }
        Self.write(findings.updates, to: &page)
        Self.write(findings.trust, to: &page)
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

    private func writeFleet(to page: inout MetricPage) async {
        let before = page
        page = await withCheckedContinuation { continuation in
            queue.async { [fleet] in
                var page = before
                fleet.write(to: &page)
                continuation.resume(returning: page)
            }
        }
    }

    private static func write(_ report: StorageReport, to page: inout MetricPage) {
        page.gauge("bundlectl_store_bytes", "Bytes that the store takes, by what they are; as of at most a minute ago.")
        for (kind, byteCount) in report.parts { page.sample([("kind", kind)], byteCount) }
        guard let quota = report.quota else { return }
        page.gauge("bundlectl_store_quota_bytes", "Bytes that segments, indexes and cache may have together.")
        page.sample([], quota)
    }

    private static func write(_ updates: [(name: String, state: UpdateState)], to page: inout MetricPage) {
        page.gauge(
            "bundlectl_update_checked_timestamp_seconds",
            "When a bundle's feed was last read; as of at most a minute ago."
        )
        for (name, state) in updates {
            if let date = state.checkedAt { page.sample([("bundle", name)], date.timeIntervalSince1970) }
        }
        page.gauge("bundlectl_update_failing", "1 when a bundle's last check or update failed, else 0.")
        for (name, state) in updates { page.sample([("bundle", name)], state.lastFailure == nil ? 0 : 1) }
        page.gauge("bundlectl_update_on_hold", "1 while updates leave a bundle as it is, else 0.")
        for (name, state) in updates { page.sample([("bundle", name)], state.isOnHold ? 1 : 0) }
    }

    private static func write(_ reports: [TrustReport], to page: inout MetricPage) {
        let signed = reports.flatMap { report in
            report.roles.compactMap { role in role.expires.map { (report.name.string, role, $0) } }
        }
        guard !signed.isEmpty else { return }
        page.gauge(
            "bundlectl_trust_expiry_timestamp_seconds",
            "Until when a role of a bundle's feed is signed: updates end then, and what is installed stays."
        )
        for (name, role, expiry) in signed {
            page.sample([("bundle", name), ("role", role.name)], expiry.timeIntervalSince1970)
        }
        page.gauge(
            "bundlectl_trust_due",
            "1 when a role should have been signed again, half of its life being over, else 0."
        )
        for (name, role, _) in signed { page.sample([("bundle", name), ("role", role.name)], role.isDue ? 1 : 0) }
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
    func write(to page: inout MetricPage) {
        page.counter("bundlectl_scrub_runs_total", "Scrubs of the whole store that were completed.")
        page.sample([], runs.load(ordering: .relaxed))
        page.counter("bundlectl_scrub_read_bytes_total", "Bytes of segments that scrubs have read.")
        page.sample([], readBytes.load(ordering: .relaxed))
        page.counter("bundlectl_scrub_damaged_total", "Damaged files, releases and kept responses found by scrubs.")
        page.sample([], damaged.load(ordering: .relaxed))
        page.counter("bundlectl_repaired_total", "Items that the server has repaired, or dropped, by itself.")
        page.sample([], repaired.load(ordering: .relaxed))
        guard let date = lastRun.withLock({ $0 }) else { return }
        page.gauge("bundlectl_scrub_last_run_timestamp_seconds", "When a scrub was last completed.")
        page.sample([], date.timeIntervalSince1970.rounded())
    }
}
