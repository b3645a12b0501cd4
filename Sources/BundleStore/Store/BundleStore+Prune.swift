import Foundation

extension BundleStore {
    /// What ``prune(keeping:waits:)`` removed.
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

    /// Forgets all but the active and the latest retained versions, and deletes every file that nothing refers to, and
    /// downloads that were given up a week ago.
    /// Bundles without an active version are left alone. Another process that has a file open goes on reading it.
    ///
    /// - Parameter count: How many retained versions of each bundle to keep; 0 or more.
    /// - Throws: ``BundleError`` with code `storeBusy` when another process changes the store and `waits` is false,
    ///   `storeUnavailable` when the store can't be written.
    public func prune(keeping count: Int = 1, waits: Bool = false) throws -> PruneReport {
        try Self.accessing(path) {
            try StoreLock.take(layout, bundle: nil, .exclusive, waits: waits).whileHeld {
                try refresh()
                let superfluous = snapshot.bundles.values.flatMap { $0.superfluous(keeping: count) }
                if !superfluous.isEmpty { try catalog.remove(superfluous.map(\.record)) }
                try refresh()
                let files = OrphanFiles(layout: layout, catalog: catalog)
                let staleSince = now().addingTimeInterval(-Self.downloadLifetime)
                let removed = try files.remove() + files.removeDownloads(notTouchedSince: staleSince)
                return PruneReport(
                    releases: superfluous.map { ($0.name, $0.version) },
                    fileCount: removed.count,
                    byteCount: removed.reduce(0, +)
                )
            }
        }
    }
}

extension InstalledBundle {
    fileprivate func superfluous(keeping count: Int) -> some Sequence<Release> {
        active == nil ? [] : releases.dropFirst(1 + min(max(count, 0), retained.count))
    }
}
