import Foundation

extension BundleStore {
    /// What ``prune(keeping:of:waits:progress:)`` removed.
    public struct PruneReport: Sendable {
        /// The releases that were forgotten.
        public let releases: [(name: BundleName, version: BundleVersion)]
        /// The number of files that were deleted.
        public let fileCount: Int
        /// Their size in bytes.
        public let byteCount: Int64
    }

    /// For how long the beginning of a download is worth keeping, in seconds: a week.
    private static let downloadLifetime: TimeInterval = 7 * 24 * 60 * 60

    /// Forgets all but the latest retained versions, and deletes every file that nothing refers to, and downloads that were
    /// given up a week ago. Active versions, and those that wait for their first activation, stay. Another process that has a file open goes on reading it.
    ///
    /// - Parameters:
    ///   - count: How many retained versions of each bundle to keep; 0 or more.
    ///   - names: The bundles whose retained versions are concerned; nil for all.
    ///   - waits: Whether to wait for another process that changes the store.
    ///   - progress: Called after each file with the bytes deleted so far and the bytes in all.
    /// - Throws: ``BundleError`` with code `storeBusy` when another process changes the store and `waits` is false,
    ///   `storeUnavailable` when the store can't be written.
    public func prune(
        keeping count: Int = 1,
        of names: Set<BundleName>? = nil,
        waits: Bool = false,
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> PruneReport {
        try Self.accessing(path) {
            try StoreLock.take(layout, bundle: nil, .exclusive, waits: waits).whileHeld {
                try refresh()
                let superfluous = snapshot.bundles.values
                    .filter { names?.contains($0.name) ?? true }
                    .flatMap { $0.retained.dropFirst(max(count, 0)) }
                if !superfluous.isEmpty { try catalog.remove(superfluous.map(\.record)) }
                try refresh()
                let files = OrphanFiles(layout: layout, catalog: catalog)
                let staleSince = now().addingTimeInterval(-Self.downloadLifetime)
                let removed = try files.remove(withDownloadsBefore: staleSince, progress)
                return PruneReport(
                    releases: superfluous.map { ($0.name, $0.version) },
                    fileCount: removed.count,
                    byteCount: removed.reduce(0, +)
                )
            }
        }
    }
}
