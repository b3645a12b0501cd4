import Foundation

extension BundleStore {
    /// What ``prune(keeping:of:sparing:waits:progress:)`` removed.
    public struct PruneReport: Sendable {
        /// The releases that were forgotten.
        public internal(set) var releases: [RemovedRelease] = []
        /// The number of files that were deleted, but for those that compaction has replaced.
        public internal(set) var fileCount = 0
        /// Their size in bytes.
        public internal(set) var byteCount: Int64 = 0
        /// The number of downloads that were kept to be resumed.
        public internal(set) var keptDownloadCount = 0
        /// Their size in bytes.
        public internal(set) var keptDownloadByteCount: Int64 = 0
        /// What became of segments that were mostly dead.
        public internal(set) var compaction = CompactionReport()
        /// Why some of what is superfluous is still there.
        public internal(set) var warnings: [Notice] = []
    }

    /// For how long the beginning of a download is worth keeping, in seconds: a day.
    private static let downloadLifetime: TimeInterval = 24 * 60 * 60

    /// Forgets all but the latest retained versions and the latest of those that wait for their first activation.
    /// Deletes every file that nothing refers to, and downloads that were abandoned a day ago; when the store has more
    /// bytes than its quota, all downloads that are not in use. Active versions, pinned ones, and those that a newer
    /// program has written are kept. Another process that has a file open goes on reading it.
    ///
    /// Then segments over half of which no version refers to are replaced by one with what is left of them, others too
    /// while the store has more bytes than its quota; damaged ones stay, and without room for the copy all do.
    ///
    /// Damaged versions go as others do, but for the active one. While there are releases that can't be opened, no segment and no index is deleted: when the catalog has lost what it
    /// knew, it doesn't know either what they are of.
    ///
    /// What is superfluous already is deleted before anything is written, so that a full disk is no hindrance.
    ///
    /// - Parameters:
    ///   - count: How many retained versions of each bundle to keep besides the pinned ones, and how many that were never
    ///     activated; 0 or more.
    ///   - names: The bundles whose versions are concerned; nil for all.
    ///   - spared: A version that is kept and isn't counted: the one that has just been installed.
    ///   - waits: Whether to wait for another process that changes the store.
    ///   - progress: Called after each file with the bytes deleted so far and the bytes in all, as far as they are known.
    /// - Throws: ``BundleError`` with code `storeBusy` when another process changes the store and `waits` is false,
    ///   `storeUnavailable` when the store can't be written; `CancellationError` when the task is cancelled.
    @discardableResult
    public func prune(
        keeping count: Int = 1,
        of names: Set<BundleName>? = nil,
        sparing spared: (BundleName, BundleVersion)? = nil,
        waits: Bool = false,
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> PruneReport {
        try Self.accessing(path) {
            try StoreLock.take(layout, bundle: nil, .exclusive, waits: waits).whileHeld {
                let orphans = OrphanFiles(layout: layout, catalog: catalog)
                // In a store over its quota every download that isn't in use counts as abandoned, whatever its age.
                let staleSince = try isOverQuota() ? .distantFuture : now().addingTimeInterval(-Self.downloadLifetime)
                var report = PruneReport()
                var removal = try orphans.remove(withDownloadsBefore: staleSince, progress)
                report.add(removal)
                report.keptDownloadCount = removal.keptDownloadByteCounts.count
                report.keptDownloadByteCount = removal.keptDownloadByteCounts.reduce(0, +)
                try refresh()
                var superfluous = superfluousReleases(keeping: count, of: names, sparing: spared)
                // What seems superfluous may be all that answers in place of a damaged version.
                if !superfluous.isEmpty, try checkIndexes() {
                    superfluous = superfluousReleases(keeping: count, of: names, sparing: spared)
                }
                report.releases = superfluous.map(RemovedRelease.init(beyondThoseKept:))
                if !superfluous.isEmpty {
                    try catalog.remove(superfluous.map(\.record))
                    try refresh()
                    removal = try orphans.remove(progress)
                    report.add(removal)
                }
                guard removal.damage.isEmpty else {
                    report.warnings.append(removal.warning)
                    return report
                }
                let compaction = Compaction(
                    layout: layout,
                    catalog: catalog,
                    releases: snapshot.releases.filter { !$0.isNewer },
                    excessByteCount: try catalog.excessByteCount()
                )
                report.compaction = try compaction.run()
                report.warnings += report.compaction.warnings
                if report.compaction.segmentCount > 0 {
                    try refresh()
                    try orphans.remove(progress)
                }
                return report
            }
        }
    }

    /// Prunes what an install or update has made superfluous, after it and not in front, where deleting many files slows
    /// the writing. When another process changes the store, the next call does it.
    ///
    /// - Parameters: As for ``prune(keeping:of:sparing:waits:progress:)``.
    /// - Returns: Nil when another process changes the store and `waits` is false.
    /// - Throws: ``BundleError`` with code `storeUnavailable` when the store can't be written.
    @discardableResult
    public func pruneUnlessBusy(
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

    private func isOverQuota() throws -> Bool {
        let use = try storageUse()
        return use.quota.map { use.byteCount > $0 } ?? false
    }

    private func superfluousReleases(
        keeping count: Int,
        of names: Set<BundleName>?,
        sparing spared: (name: BundleName, version: BundleVersion)?
    ) -> [Release] {
        snapshot.sortedBundles.filter { names?.contains($0.name) ?? true }.flatMap { bundle in
            [ReleaseState.retained, .installed].flatMap { state in
                let releases = bundle.removableReleases(in: state).filter { release in
                    !(release.name == spared?.name && release.version.string == spared?.version.string)
                }
                return Self.superfluous(among: releases, keeping: count)
            }
        }
    }

    /// All but so many that can be opened, the latest first. A damaged one may be repaired: those that are later than the last of
    /// these are kept too, but no more of them either.
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
    /// Those in a state that may go, the latest first: not the release whose manifest counts when the bundle has no active
    /// version, nor what stands in for a damaged active release, nor what is pinned or only a newer program may change.
    fileprivate func removableReleases(in state: ReleaseState) -> [Release] {
        (releases + damaged).filter { release in
            release.state == state && release !== current && release !== standIn && !release.isPinned
                && !release.isNewer && release.openingDamage?.isNewer != true
        }
        .sorted { ($0.record.activationNumber ?? 0, $0.record.id) > ($1.record.activationNumber ?? 0, $1.record.id) }
    }
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
        let kept = "\(keptByteCounts.count) files with \(keptByteCounts.reduce(0, +)) bytes"
        let isNewer = damage.allSatisfy(\.isNewer)
        let reason = isNewer ? "some of the store has a newer format" : "the store is damaged"
        return Notice(
            "segments and indexes that no version is known to need were left alone (\(kept)), because \(reason)",
            isNewer ? .updateProgram : .repairBeforePruning
        )
    }
}
