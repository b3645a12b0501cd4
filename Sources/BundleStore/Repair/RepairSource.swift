import SystemPackage

/// A place where the right bytes of damaged contents may be found.
package protocol RepairSource: Sendable {
    /// The place, for messages: an archive's path, or a part of the store. Nil for a source that covers several places
    /// and records its attempts itself (``StoreRepair/noteAttempt(at:_:)``).
    var place: String? { get }

    /// Offers `repair` the missing contents that the source has. They are compared with their digests, so a source
    /// needn't be trusted.
    ///
    /// - Throws: When the source can't be read; contents taken from it until then are kept. `CancellationError` when
    ///   the task is cancelled.
    func supply(_ repair: StoreRepair) async throws
}

extension RepairSource {
    /// Nil: the source records its attempts itself.
    package var place: String? { nil }
}

extension StoreRepair {
    /// Tries a source and records the outcome.
    ///
    /// - Returns: Why it failed; nil when it succeeded. Try the other sources even if it failed.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` or `storeBusy`, which concern the store and
    ///   not the source; `CancellationError` when the task is cancelled.
    package func ask(_ source: some RepairSource) async throws -> BundleError? {
        let (contentCount, releases) = (missingContentCount, damagedReleases.map { "\($0.name)@\($0.version)" })
        do {
            try await source.supply(self)
            if let place = source.place { noteAttempt(at: place, outcome(contentCount, releases)) }
            return nil
        } catch let error as BundleError where ![.storeUnavailable, .storeBusy].contains(error.code) {
            if let place = source.place { noteAttempt(at: place, error.message) }
            return error
        }
    }

    /// - Parameters:
    ///   - contentCount: How many contents were missing before.
    ///   - releases: The releases that had to be installed again.
    private func outcome(_ contentCount: Int, _ releases: [String]) -> String {
        let left = Set(damagedReleases.map { "\($0.name)@\($0.version)" })
        let found = contentCount - missingContentCount
        let contents = contentCount > 0 ? ["\(found) of \(contentCount) missing contents"] : []
        let outcomes = contents + releases.map { left.contains($0) ? "nothing for \($0)" : "all of \($0)" }
        return outcomes.isEmpty ? "nothing is missing" : outcomes.joined(separator: ", ")
    }
}

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
