import BundleStore
import Dispatch
import Foundation
import Synchronization

/// The metrics of the store that must be read from disk: its sizes, for which all indexes are iterated, and the results
/// of the updates. Determined at most once a minute. Thread-safe.
final class StoreGauge: Sendable {
    private static let maximumAge: Duration = .seconds(60)

    private struct Findings: Sendable {
        let storage: StorageReport
        /// The update states of the bundles that have a feed, by name.
        let updates: [(name: String, state: UpdateState)]
    }

    private let store: BundleStore
    private let now: @Sendable () -> ContinuousClock.Instant
    private let last = Mutex<(findings: Findings, time: ContinuousClock.Instant)?>(nil)
    private let queue = DispatchQueue(label: "store gauge")

    init(_ store: BundleStore, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.store = store
        self.now = now
    }

    /// Writes sizes, versions, damage and update checks. Values that can't be read are left out.
    func write(to text: inout PrometheusText) async {
        let findings = await findings()
        if let findings { Self.write(findings.storage, to: &text) }
        Self.write(store.snapshot, to: &text)
        if let findings { Self.write(findings.updates, to: &text) }
    }

    /// Determined on a queue of its own, because it reads files, and shared by several scrapers.
    private func findings() async -> Findings? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.currentFindings()) }
        }
    }

    private func currentFindings() -> Findings? {
        let time = now()
        if let last = last.withLock({ $0 }), time - last.time < Self.maximumAge { return last.findings }
        guard let storage = try? store.storageReport() else { return nil }
        let updates = store.snapshot.sortedBundles.compactMap { bundle -> (String, UpdateState)? in
            guard let state = try? store.updateState(of: bundle.name), bundle.hasFeed || state.chosenFeed != nil else {
                return nil
            }
            return (bundle.name.string, state)
        }
        let findings = Findings(storage: storage, updates: updates)
        last.withLock { $0 = (findings, time) }
        return findings
    }

    private static func write(_ report: StorageReport, to text: inout PrometheusText) {
        text.gauge("bundlectl_store_bytes", "Bytes that the store takes, by what they are; as of at most a minute ago.")
        let live = report.contentByteCount - report.deadByteCount - report.undeterminedByteCount
        let sizes = [
            ("live", live), ("dead", report.deadByteCount), ("undetermined", report.undeterminedByteCount),
            ("index", report.indexByteCount), ("cache", report.cacheByteCount), ("variant", report.variantByteCount),
            ("download", report.downloadByteCount), ("incoming", report.incomingByteCount),
            ("catalog", report.catalogByteCount),
        ]
        for (kind, byteCount) in sizes { text.sample([("kind", kind)], byteCount) }
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
    }
}
