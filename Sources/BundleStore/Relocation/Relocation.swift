/// Moves contents to other locations: the one mechanism behind compaction and repair. Each release that refers to an
/// old location gets a new index, and one transaction replaces all of them. Paths and media types are kept. The old
/// files then become orphans; processes that have them mapped go on reading them.
///
/// Must run while no other process changes the releases, after the data at the new locations is durable.
struct Relocation {
    let layout: StoreLayout
    let catalog: Catalog
    /// The segments with old locations.
    let segments: Set<FileIdentifier>
    /// The new location of a content, or nil when it isn't moved.
    let destination: (Digest, ContentLocation) throws -> ContentLocation?

    /// The number of entries after which the resident pages of an index are released.
    private static let residentEntryCount = 1 << 16

    /// Writes the indexes.
    ///
    /// - Returns: The releases that need a new index. Those whose index is damaged are left out: writing the index
    ///   again would hide the damage.
    /// - Throws: `Errno`, ``/BundleModel/BundleError``; no files are left then.
    func prepare(_ releases: [Release]) throws -> [RelocatedRelease] {
        var relocated: [RelocatedRelease] = []
        do {
            for release in releases where try isConcerned(release) && release.index.isIntact() {
                relocated.append(try rewriteIndex(of: release))
            }
        } catch {
            for release in relocated { try? Durable.remove(layout.index(release.index)) }
            throw error
        }
        return relocated
    }

    /// Puts the indexes into the catalog. If that fails the files are kept, since whether the transaction reached the
    /// disk is unknown; the next pruning removes unreferenced files.
    func commit(_ relocated: [RelocatedRelease]) throws {
        guard !relocated.isEmpty else { return }
        try catalog.releases.relocate(relocated)
    }

    private func isConcerned(_ release: Release) throws -> Bool {
        guard !segments.isDisjoint(with: release.index.segments) else { return false }
        var isConcerned = false
        try release.index.forEachContent { digest, location in
            guard !isConcerned, segments.contains(location.segment) else { return }
            isConcerned = try destination(digest, location) != nil
        }
        return isConcerned
    }

    private func rewriteIndex(of release: Release) throws -> RelocatedRelease {
        let index = release.index
        let identifier = FileIdentifier.random()
        let writer = try IndexWriter(identifier, entryCount: index.count, marksNames: index.marksNames, in: layout)
        for number in 0..<index.count {
            guard let entry = index.entry(number), let path = index.name(of: entry),
                index.mediaTypes.indices.contains(entry.mediaType), index.segments.indices.contains(entry.segment)
            else { throw Self.damaged(release) }
            let old = ContentExtent(entry).location(in: index.segments[entry.segment])
            let new = segments.contains(old.segment) ? try destination(entry.digest, old) : nil
            try writer.add(
                path: path,
                mediaType: index.mediaTypes[entry.mediaType],
                digest: entry.digest,
                location: new ?? old,
                mark: entry.mark
            )
            if number % Self.residentEntryCount == 0 { index.dropResidentPages() }
        }
        // Bytes that could not be read appear as zeros.
        guard !index.hasFaulted else { throw Self.damaged(release) }
        return RelocatedRelease(
            id: release.record.id,
            replacedIndex: release.record.index,
            index: identifier,
            segments: try writer.finish()
        )
    }

    private static func damaged(_ release: Release) -> BundleError {
        BundleError(.storeDamaged, "the index of \(release.name)@\(release.version) is damaged", .verify)
    }
}
