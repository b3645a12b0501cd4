import BundleStore
import Foundation
import Synchronization

/// The metrics that a fleet is watched by: which releases are there, what has become of them, and how the updates go. They are read
/// from the store each time, so they tell of other processes too, and counts outlive a restart. Thread-safe; waits for the disk.
package final class FleetGauge: Sendable {
    private let store: BundleStore
    /// The states of the releases, and the store's generation that they are of.
    private let lastStates = Mutex<(states: [(name: BundleName, states: ReleaseStates)], generation: Int64)?>(nil)

    /// Reads a store.
    package init(_ store: BundleStore) {
        self.store = store
    }

    /// Writes everything. Values that can't be read are left out.
    package func write(to page: inout MetricPage) {
        let snapshot = store.snapshot
        Self.write(snapshot, to: &page)
        page.gauge("bundlectl_release_state", "1 for each state that a release has, 0 for the others.")
        for (name, states) in states(in: snapshot) { states.write(of: name, to: &page) }
        guard let figures = try? store.updateFigures() else { return }
        let bundles = snapshot.sortedBundles.map { BundleFigures($0, figures[$0.name] ?? UpdateFigures()) }
        Self.writeReleases(bundles, to: &page)
        Self.writeUpdates(bundles, to: &page)
    }

    /// Read again when the store has changed.
    private func states(in snapshot: StoreSnapshot) -> [(name: BundleName, states: ReleaseStates)] {
        if let (states, generation) = lastStates.withLock({ $0 }), generation == snapshot.generation { return states }
        guard let bad = try? store.badVersions() else { return [] }
        let states = snapshot.sortedBundles.map { bundle in
            let held = try? store.updateState(of: bundle.name)?.heldVersion
            return (bundle.name, ReleaseStates(bundle, held: held, bad: bad[bundle.name] ?? []))
        }
        lastStates.withLock { $0 = (states, snapshot.generation) }
        return states
    }

    private static func write(_ snapshot: StoreSnapshot, to page: inout MetricPage) {
        page.gauge("bundlectl_release_info", "1 for each release that the store holds.")
        for release in snapshot.sortedBundles.flatMap(\.releases) {
            page.sample(
                [
                    ("bundle", release.name.string), ("version", release.version.string),
                    ("state", release.state.rawValue),
                ],
                1
            )
        }
        page.gauge("bundlectl_damaged_releases", "Releases that are damaged and aren't served.")
        page.sample([], snapshot.damage.count)
        page.gauge("bundlectl_degraded_bundles", "Bundles whose active version can't be opened; another is served.")
        page.sample([], snapshot.degradations.count)
    }

    private static func writeReleases(_ bundles: [BundleFigures], to page: inout MetricPage) {
        page.counter("bundlectl_release_activations_total", "How often a release has become active, but by a rollback.")
        for bundle in bundles { bundle.write(.activated, to: &page) }
        page.counter("bundlectl_release_confirmations_total", "How often a release was found to work.")
        for bundle in bundles { bundle.write(.confirmed, to: &page) }
        page.counter("bundlectl_release_bad_reports_total", "How often a release was found not to work.")
        for bundle in bundles { bundle.write(.markedBad, to: &page) }
        page.counter("bundlectl_rollbacks_total", "How often a release was left for an earlier one, by the cause.")
        for bundle in bundles {
            for cause in RollbackCause.allCases {
                bundle.write(.rolledBack(cause), [("cause", cause.rawValue)], to: &page)
            }
        }
    }

    private static func writeUpdates(_ bundles: [BundleFigures], to page: inout MetricPage) {
        page.counter("bundlectl_update_failures_total", "Checks and updates that have failed, by the reason.")
        for bundle in bundles {
            for reason in UpdateFailureReason.allCases {
                let count = bundle.figures.failures[reason]
                page.sample([bundle.label, ("reason", reason.rawValue)], count?.value ?? 0, since: count?.since)
            }
        }
        page.gauge("bundlectl_update_last_success_timestamp_seconds", "When a check or an update has last succeeded.")
        for bundle in bundles {
            if let date = bundle.figures.succeededAt { page.sample([bundle.label], date.timeIntervalSince1970) }
        }
        page.gauge("bundlectl_update_versions_behind", "Versions above the active one that the feed offers.")
        for bundle in bundles {
            if let count = bundle.versionsBehind { page.sample([bundle.label], count) }
        }
    }
}

/// A bundle and its numbers. A value type.
private struct BundleFigures {
    let label: MetricPage.Label
    let figures: UpdateFigures
    let versionsBehind: Int?
    /// The versions that the store has.
    private let installed: Set<String>
    /// Those with counts, too; sorted.
    private let versions: [String]

    init(_ bundle: InstalledBundle, _ figures: UpdateFigures) {
        label = ("bundle", bundle.name.string)
        self.figures = figures
        versionsBehind = figures.versionsBehind(bundle.activeVersion)
        installed = Set((bundle.releases + bundle.damaged).map(\.version.string))
        versions = installed.union(figures.releases.keys).sorted()
    }

    /// Writes a counter for each version, also those that are 0 while the store has the version: an increase is seen only from a value.
    func write(_ event: UpdateFigures.ReleaseEvent, _ labels: [MetricPage.Label] = [], to page: inout MetricPage) {
        for version in versions {
            let count = figures.releases[version]?[event]
            guard count != nil || installed.contains(version) else { continue }
            page.sample([label, ("version", version)] + labels, count?.value ?? 0, since: count?.since)
        }
    }
}
