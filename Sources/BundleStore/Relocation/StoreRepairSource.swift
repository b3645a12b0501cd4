import SystemPackage

/// The store itself: the same content may be in another place, where another version or bundle has it, and a segment that is
/// cut short still has what comes before the cut.
public struct StoreRepairSource: RepairSource {
    /// What ``RepairReport/Repaired/source`` says of it.
    static let name = "store"

    /// `store`.
    public var place: String? { Self.name }

    /// Makes one.
    public init() {}

    /// Offers what is found in the store.
    ///
    /// - Throws: ``BundleError`` with code `storeUnavailable` when a copy can't be written; `CancellationError` when the
    ///   task is cancelled.
    public func supply(_ repair: StoreRepair) async throws {
        try repair.store.refresh()
        // A segment that readers refuse may be mostly right, and what is taken from it is compared with its digest.
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
                // What can't be read gives nothing.
                try repair.dropContent()
            }
            try Task.checkCancellation()
        }
    }
}
