extension BundleStore {
    /// Reads every release, or those of one bundle, and the cached responses, and compares them with their digests. A
    /// content that several files share is read once. The memory used doesn't depend on the size of the store.
    ///
    /// - Parameters:
    ///   - name: The bundle, or nil for all.
    ///   - pace: How fast to read.
    ///   - progress: Called now and then with the bytes of the segments that are read.
    /// - Returns: The damage found: each affected file and response, and releases that can't be read as a whole. Empty
    ///   when there is none.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read,
    ///   `invalidArgument` when there is no bundle of that name; `CancellationError` when the task is cancelled.
    public func verify(
        _ name: BundleName? = nil,
        pace: ReadingPace = .fast,
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> [StoreDamage] {
        try verification(of: name, pace: pace, progress: progress).damage
    }

    /// As above, with the details that a repair needs.
    func verification(
        of name: BundleName?,
        pace: ReadingPace = .fast,
        progress: (ByteProgress) -> Void
    ) throws -> StoreVerification {
        try Self.accessing(path) {
            var verification = try releaseVerification(of: name, pace: pace, progress: progress)
            verification.damagedResponses = try damagedResponses(of: name, pace: pace)
            if name == nil { verification.damagedValues = try damagedValues() }
            return verification
        }
    }

    /// Damage to the catalog's single values, which belong to no bundle.
    private func damagedValues() throws -> [StoreDamage] {
        try (catalog.isQuotaDamaged() ? [.quota] : []) + (catalog.isGenerationDamaged() ? [.generation] : [])
            + (catalog.arePublishersDamaged() ? [.publishers] : [])
    }

    private func releaseVerification(
        of name: BundleName?,
        pace: ReadingPace = .fast,
        progress: (ByteProgress) -> Void
    ) throws -> StoreVerification {
        var isRepeated = false
        while true {
            if let name {
                try refresh()
                _ = try bundle(name)
            }
            // Opened again, because a mapped file doesn't show that it was deleted.
            let snapshot = try SnapshotLoader.load(catalog, layout, previous: nil)
            let segmentLists = try catalog.segmentLists()
            do {
                let verification = try StoreVerification(
                    of: snapshot,
                    segmentLists,
                    only: name,
                    in: layout,
                    pace: pace,
                    progress: progress
                )
                guard try !verification.damage.isEmpty && catalog.generation() != snapshot.generation else {
                    return verification
                }
                // A release that another process removes takes its files with it: only what is still installed is
                // damaged.
                return verification.limited(to: try SnapshotLoader.load(catalog, layout, previous: nil))
            } catch {
                try Task.checkCancellation()
                guard try !isRepeated && catalog.generation() != snapshot.generation else { throw error }
                isRepeated = true
            }
        }
    }
}
