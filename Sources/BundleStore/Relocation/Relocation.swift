/// Gives contents other places: the one mechanism under compaction and repair. Each release that refers to an old place gets
/// a new index, and one transaction replaces all of them. Paths and media types stay. The old files are orphans then, and
/// whoever has them mapped goes on reading them.
///
/// To be run while nobody else changes the releases, when what is at the new places is durable.
struct Relocation {
    let layout: StoreLayout
    let catalog: Catalog
    /// The segments that have old places.
    let segments: Set<FileIdentifier>
    /// The new place of a content, or nil when it stays.
    let destination: (Digest, ContentLocation) throws -> ContentLocation?

    /// After how many entries the parts of an index that were looked at are given back.
    private static let residentEntryCount = 1 << 16

    /// Writes the indexes.
    ///
    /// - Returns: The releases that need a new one. Those whose index is damaged are left out: writing it anew would make
    ///   the damage look right.
    /// - Throws: `Errno`, ``BundleError``; nothing is left then.
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

    /// Enters the indexes into the catalog. When that fails the files stay, since it can't be known whether it reached the
    /// disk; what nothing refers to is removed by the next pruning.
    func commit(_ relocated: [RelocatedRelease]) throws {
        guard !relocated.isEmpty else { return }
        try catalog.relocate(relocated)
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
        let writer = try IndexWriter(identifier, entryCount: index.count, in: layout)
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
                location: new ?? old
            )
            if number % Self.residentEntryCount == 0 { index.dropResidentPages() }
        }
        // What could not be read was taken for zeros.
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
