import Foundation
import SystemPackage

extension BundleStore {
    /// What ``prune(keeping:of:sparing:waits:progress:)`` removed.
    public struct PruneReport: Sendable {
        /// The releases that were removed.
        public internal(set) var releases: [RemovedRelease] = []
        /// The number of files that were deleted, except those that compaction replaced.
        public internal(set) var fileCount = 0
        /// Their size in bytes.
        public internal(set) var byteCount: Int64 = 0
        /// The number of downloads that were kept so that they can be resumed.
        public internal(set) var keptDownloadCount = 0
        /// Their size in bytes.
        public internal(set) var keptDownloadByteCount: Int64 = 0
        /// The result of compacting segments that were mostly dead.
        public internal(set) var compaction = CompactionReport()
        /// Why some of what is superfluous is still there.
        public internal(set) var warnings: [Notice] = []
    }

    /// Removes all but the latest retained versions and the latest versions that were never activated. Deletes every
    /// unreferenced file, and downloads that were abandoned a day ago; when the store exceeds its quota, all downloads
    /// that are not in use. Active and pinned versions, and those written by a newer program, are kept. Another process
    /// that has a deleted file open can go on reading it.
    ///
    /// Then compacts each segment that is more than half dead: what is left is copied to a new segment. While the store
    /// exceeds its quota, other segments are compacted too. Damaged segments are kept, and all are when there is no
    /// room for the copy.
    ///
    /// Damaged versions are removed like others, except the active one. While any release can't be opened, no segment
    /// or index is deleted: a catalog that has lost rows no longer knows what these files belong to.
    ///
    /// Unneeded files are deleted before anything is written, so that pruning works on a full disk.
    ///
    /// - Parameters:
    ///   - count: How many retained versions of each bundle to keep besides the pinned ones, and how many that were never
    ///     activated; 0 or more.
    ///   - names: The bundles to prune; nil for all.
    ///   - spared: A version that is kept and isn't counted: the one just installed.
    ///   - waits: Whether to wait for another process that changes the store.
    ///   - progress: Called after each file with the bytes that are deleted. The total increases at most twice,
    ///     when it is known what the superfluous versions take, and what compacted segments took.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when another process changes the store and `waits`
    ///   is false, `storeUnavailable` when the store can't be written; `CancellationError` when the task is cancelled.
    @discardableResult
    public func prune(
        keeping count: Int = 1,
        of names: Set<BundleName>? = nil,
        sparing spared: (BundleName, BundleVersion)? = nil,
        waits: Bool = false,
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> PruneReport {
        try StoreAccess.run(at: path) {
            try StoreLock.take(layout, bundle: nil, .exclusive, waits: waits).whileHeld {
                var pruner = Pruner(store: self, count: count, names: names, spared: spared)
                try pruner.run(progress)
                return pruner.report
            }
        }
    }

    /// Prunes what an install or update has superseded. Called after it, not before: deleting many files slows the
    /// writing. When another process changes the store, the next call prunes instead.
    ///
    /// - Parameters: As for ``prune(keeping:of:sparing:waits:progress:)``.
    /// - Returns: Nil when another process changes the store and `waits` is false.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written.
    @discardableResult
    package func pruneUnlessBusy(
        keeping count: Int = 1,
        of names: Set<BundleName>,
        sparing spared: (BundleName, BundleVersion)? = nil,
        waits: Bool = false
    ) throws -> PruneReport? {
        do {
            return try prune(keeping: count, of: names, sparing: spared, waits: waits)
        } catch let error as BundleError where error.code == .storeBusy {
            return nil
        }
    }
}

/// Removes what a store doesn't need any more. Only valid while the store is locked exclusively.
private struct Pruner {
    /// How long a partial download is kept, in seconds: a day.
    private static let downloadLifetime: TimeInterval = 24 * 60 * 60

    let store: BundleStore
    let count: Int
    let names: Set<BundleName>?
    let spared: (name: BundleName, version: BundleVersion)?
    private(set) var report = BundleStore.PruneReport()

    private var orphans: OrphanFiles { OrphanFiles(layout: store.layout, catalog: store.catalog) }

    init(store: BundleStore, count: Int, names: Set<BundleName>?, spared: (name: BundleName, version: BundleVersion)?) {
        (self.store, self.count, self.names, self.spared) = (store, count, names, spared)
    }

    mutating func run(_ progress: (ByteProgress) -> Void) throws {
        var removal = try removeOrphans(progress)
        if let later = try removeReleases(progress) { removal = later }
        if removal.damage.isEmpty { try compact(progress) } else { report.warnings.append(removal.warning) }
    }

    private mutating func removeOrphans(_ progress: (ByteProgress) -> Void) throws -> OrphanFiles.Removal {
        // While the store exceeds its quota, every download that isn't in use counts as abandoned, whatever its age.
        let staleSince = try isOverQuota() ? .distantFuture : store.now().addingTimeInterval(-Self.downloadLifetime)
        let removal = try orphans.remove(withDownloadsBefore: staleSince, progress)
        report.add(removal)
        report.keptDownloadCount = removal.keptDownloadByteCounts.count
        report.keptDownloadByteCount = removal.keptDownloadByteCounts.reduce(0, +)
        return removal
    }

    /// Returns nil when no release is superfluous.
    private mutating func removeReleases(_ progress: (ByteProgress) -> Void) throws -> OrphanFiles.Removal? {
        try store.refresh()
        var superfluous = superfluousReleases
        // A version that seems unneeded may be the only one that can stand in for a damaged version.
        if !superfluous.isEmpty, try store.checkIndexes() { superfluous = superfluousReleases }
        report.releases = superfluous.map(RemovedRelease.init(beyondThoseKept:))
        guard !superfluous.isEmpty else { return nil }
        try store.catalog.releases.remove(superfluous.map(\.record))
        try store.refresh()
        let byteCount = report.byteCount
        let removal = try orphans.remove { progress($0.following(byteCount)) }
        report.add(removal)
        return removal
    }

    private mutating func compact(_ progress: (ByteProgress) -> Void) throws {
        let compaction = Compaction(
            layout: store.layout,
            catalog: store.catalog,
            releases: store.snapshot.releases.filter { !$0.isNewer },
            excessByteCount: try store.catalog.storage.excessByteCount()
        )
        report.compaction = try compaction.run()
        report.warnings += report.compaction.warnings
        guard report.compaction.segmentCount > 0 else { return }
        try store.refresh()
        let byteCount = report.byteCount
        try orphans.remove { progress($0.following(byteCount)) }
    }

    private func isOverQuota() throws -> Bool {
        let use = try store.storageUse()
        return use.quota.map { use.byteCount > $0 } ?? false
    }

    private var superfluousReleases: [Release] {
        store.snapshot.sortedBundles.filter { names?.contains($0.name) ?? true }.flatMap { bundle in
            [ReleaseState.retained, .installed].flatMap { state in
                let releases = bundle.removableReleases(in: state).filter { release in
                    !(release.name == spared?.name && release.version.string == spared?.version.string)
                }
                return Self.superfluous(among: releases, keeping: count)
            }
        }
    }

    /// All but the latest `count` releases that can be opened, latest first. A damaged release may be repaired, so up
    /// to `count` damaged ones that are later than those are kept too.
    private static func superfluous(among releases: [Release], keeping count: Int) -> [Release] {
        var (readableCount, damagedCount) = (0, 0)
        return releases.filter { release in
            if release.isReadable {
                readableCount += 1
                return readableCount > count
            }
            damagedCount += 1
            return readableCount >= count || damagedCount > count
        }
    }
}

extension InstalledBundle {
    /// The releases in a state that may be removed, latest first. Excluded are the release whose manifest counts when
    /// the bundle has no active version, the stand-in for a damaged active release, the release that becomes active later,
    /// the one that was shipped with an app, the one to go back to while the active release has yet to be confirmed, pinned
    /// releases, and those that only a newer program may change.
    fileprivate func removableReleases(in state: ReleaseState) -> [Release] {
        (releases + damaged).filter { release in
            release.state == state && release !== current && release !== fallbackRelease && !release.isPinned
                && !isSeed(release.version) && !isRollbackTarget(release)
                && lifecycle.pending?.version.string != release.version.string
                && !release.isNewer && release.openingDamage?.isNewer != true
        }
        .sorted { ($0.record.activationNumber ?? 0, $0.record.id) > ($1.record.activationNumber ?? 0, $1.record.id) }
    }
}

extension InstalledBundle {
    /// Whether the bundle goes back to a release when the active one isn't confirmed.
    private func isRollbackTarget(_ release: Release) -> Bool { probationTerms != nil && rollbackTarget === release }
}

extension RemovedRelease {
    fileprivate init(beyondThoseKept release: Release) {
        self.init(
            name: release.name,
            version: release.version,
            reason: release.state == .installed ? .neverActivated : .keep
        )
    }
}

extension BundleStore.PruneReport {
    fileprivate mutating func add(_ removal: OrphanFiles.Removal) {
        fileCount += removal.byteCounts.count
        byteCount += removal.byteCounts.reduce(0, +)
    }
}

extension OrphanFiles.Removal {
    fileprivate var warning: Notice {
        let kept = "\(keptByteCounts.count) files with \(ByteCount.text(keptByteCounts.reduce(0, +)))"
        let isNewer = damage.allSatisfy(\.isNewer)
        let reason = isNewer ? "some of the store has a newer format" : "the store is damaged"
        return Notice(
            "segments and indexes that no version is known to need were left alone (\(kept)), because \(reason)",
            isNewer ? .updateProgram : .repairBeforePruning
        )
    }
}
