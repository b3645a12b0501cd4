import SystemPackage

/// The store itself: another version or bundle may have the same content elsewhere, and a truncated segment still has
/// what comes before the cut.
package struct StoreRepairSource: RepairSource {
    /// The value of ``RepairReport/Repaired/source``.
    static let name = "store"

    /// `store`.
    package var place: String? { Self.name }

    /// Creates the source.
    package init() {}

    /// Offers the contents found in the store.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when a copy can't be written;
    ///   `CancellationError` when the task is cancelled.
    package func supply(_ repair: StoreRepair) async throws {
        try repair.store.refresh()
        // A segment that readers refuse may be mostly intact; contents taken from it are compared with their digests.
        let reader = ContentReader(repair.store.layout, checksHeaders: false)
        for release in repair.store.snapshot.releases where !repair.isComplete {
            do {
                try release.index.forEachContent { digest, location in
                    guard repair.wants(digest, byteCount: location.byteCount), !Task.isCancelled,
                        reader.holds(contentOf: digest, at: location)
                    else { return }
                    try reader.readPieces(of: location) { try repair.append($0) }
                    _ = try repair.endContent(from: Self.name)
                }
            } catch is Errno {
                // A content that can't be read is skipped.
                try repair.dropContent()
            }
            try Task.checkCancellation()
        }
    }
}
