import Foundation

extension BundleStore {
    /// What ``prune(keeping:of:waits:progress:)`` removed.
    public struct PruneReport: Sendable {
        /// The releases that were forgotten.
        public internal(set) var releases: [(name: BundleName, version: BundleVersion)] = []
        /// The number of files that were deleted, but for those that compaction has replaced.
        public internal(set) var fileCount = 0
        /// Their size in bytes.
        public internal(set) var byteCount: Int64 = 0
        /// What became of segments that were mostly dead.
        public internal(set) var compaction = CompactionReport()
        /// Why some of what is superfluous is still there; a line each.
        public internal(set) var warnings: [String] = []
    }

    /// For how long the beginning of a download is worth keeping, in seconds: a week.
    private static let downloadLifetime: TimeInterval = 7 * 24 * 60 * 60

    /// Forgets all but the latest retained versions, and deletes every file that nothing refers to, and downloads that were
    /// given up a week ago. Active versions, pinned ones, those that wait for their first activation, and those that a newer
    /// program has written stay. Another process that has a file open goes on reading it. Then segments over half of which
    /// no version refers to are replaced by one with what is left of them, others too while the store has more bytes than
    /// its quota; damaged ones stay, and without room for the copy all do.
    ///
    /// While there are releases that can't be opened, no segment and no index is deleted: when the catalog has lost what it
    /// knew, it doesn't know either what they are of.
    ///
    /// What is superfluous already is deleted before anything is written, so that a full disk is no hindrance.
    ///
    /// - Parameters:
    ///   - count: How many retained versions of each bundle to keep besides the pinned ones; 0 or more.
    ///   - names: The bundles whose retained versions are concerned; nil for all.
    ///   - waits: Whether to wait for another process that changes the store.
    ///   - progress: Called after each file with the bytes deleted so far and the bytes in all, as far as they are known.
    /// - Throws: ``BundleError`` with code `storeBusy` when another process changes the store and `waits` is false,
    ///   `storeUnavailable` when the store can't be written; `CancellationError` when the task is cancelled.
    @discardableResult
    public func prune(
        keeping count: Int = 1,
        of names: Set<BundleName>? = nil,
        waits: Bool = false,
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> PruneReport {
        try Self.accessing(path) {
            try StoreLock.take(layout, bundle: nil, .exclusive, waits: waits).whileHeld {
                let orphans = OrphanFiles(layout: layout, catalog: catalog)
                let staleSince = now().addingTimeInterval(-Self.downloadLifetime)
                var report = PruneReport()
                var removal = try orphans.remove(withDownloadsBefore: staleSince, progress)
                report.add(removal)
                try refresh()
                let superfluous = superfluousReleases(keeping: count, of: names)
                report.releases = superfluous.map { ($0.name, $0.version) }
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
    /// - Parameters: As for ``prune(keeping:of:waits:progress:)``.
    /// - Returns: Nil when another process changes the store and `waits` is false.
    /// - Throws: ``BundleError`` with code `storeUnavailable` when the store can't be written.
    @discardableResult
    public func pruneUnlessBusy(
        keeping count: Int = 1,
        of names: Set<BundleName>,
        waits: Bool = false
    ) throws -> PruneReport? {
        do {
            return try prune(keeping: count, of: names, waits: waits)
        } catch let error as BundleError where error.code == .storeBusy {
            return nil
        }
    }

    private func superfluousReleases(keeping count: Int, of names: Set<BundleName>?) -> [Release] {
        snapshot.bundles.values
            .filter { names?.contains($0.name) ?? true }
            .flatMap { bundle in
                // What stands in for a damaged active release is all that answers.
                bundle.retained.filter { !$0.isPinned && !$0.isNewer && $0 !== bundle.standIn }.dropFirst(max(count, 0))
            }
    }
}

extension BundleStore.PruneReport {
    fileprivate mutating func add(_ removal: OrphanFiles.Removal) {
        fileCount += removal.byteCounts.count
        byteCount += removal.byteCounts.reduce(0, +)
    }
}

extension OrphanFiles.Removal {
    fileprivate var warning: String {
        let kept = "\(keptByteCounts.count) files with \(keptByteCounts.reduce(0, +)) bytes"
        let reason =
            damage.allSatisfy(\.isNewer)
            ? "because some of the store has a newer format; update bundlectl"
            : "because the store is damaged; run “bundlectl verify --repair”, remove what that can't repair, and prune again"
        return "segments and indexes that no version is known to need were left alone (\(kept)), \(reason)"
    }
}
