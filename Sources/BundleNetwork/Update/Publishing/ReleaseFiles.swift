import BundleInstall
import BundleStore

/// Makes the files that a feed offers beside an archive, so that clients needn't fetch the whole of it: its content list,
/// and patches from the releases before it. What the feed offers already isn't made again.
///
/// Each is complete and durable before the feed names it.
struct ReleaseFiles {
    let draft: ReleaseDraft
    let folder: String
    let bases: PatchBases

    /// - Parameters:
    ///   - entry: The release, to which the files are added.
    ///   - warnings: What can't be made, and why, is added.
    ///   - archive: The archive's copy.
    ///   - entries: All releases that the feed offers.
    ///   - progress: Called now and then.
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when the folder can't be written;
    ///   `CancellationError` when the task is cancelled.
    func add(
        to entry: inout FeedEntry,
        _ warnings: inout [String],
        archive: String,
        among entries: [FeedEntry],
        progress: (PublishingStep, ByteProgress) -> Void
    ) throws {
        let lacking = lackingBases(of: entry, among: entries)
        guard entry.contents == nil || !lacking.isEmpty else { return }
        let list = try draft.contentList(in: archive, entry.digest)
        if entry.contents == nil {
            let file = try list.encoded()
                .map { try publish($0, as: "\(draft.name)-\(entry.version)\(Self.listSuffix)") }
            if file == nil { warnings.append("\(draft.name)@\(entry.version) has too many files for a content list") }
            entry.contents = FeedContents(filesDigest: try draft.filesDigest(), list: file)
        }
        for (base, archive) in lacking {
            do {
                try patch(from: base, archive, list, entry) { progress(.patching(from: base.version), $0) }
                    .map { entry.patches.append($0) }
            } catch let error as BundleError where error.code != .outputUnavailable {
                warnings.append("there is no patch from \(base.version): \(error)")
            }
        }
    }

    /// Call it once the feed names the files, or they have been removed.
    static func finish(_ entry: FeedEntry, in folder: String) {
        let files = [entry.contents?.list].compactMap(\.self) + entry.patches.map(\.file)
        for file in files {
            guard let path = PercentEncoding.decode(file.location.utf8) else { continue }
            UnfinishedOutput.drop("\(folder)/\(path)")
        }
    }

    static let listSuffix = ".contents.json.zst"
    static let patchSuffix = ".patch"
    static let patchInfix = ".from-"

    /// The bases without a patch whose archives are in the folder.
    private func lackingBases(of entry: FeedEntry, among entries: [FeedEntry]) -> [(FeedEntry, archive: String)] {
        let archives = ListedArchives(of: draft.name, in: folder)
        return bases.releases(below: entry, among: entries)
            .filter { base in !entry.patches.contains { $0.from.string == base.version.string } }
            .compactMap { base in archives.path(of: base).map { (base, $0) } }
    }

    /// Nil when the archive isn't the one that the feed offers, or the patch isn't worth it.
    private func patch(
        from base: FeedEntry,
        _ archive: String,
        _ list: ContentList,
        _ entry: FeedEntry,
        _ progress: (ByteProgress) -> Void
    ) throws -> FeedPatch<String>? {
        guard try Digest(ofFile: archive) == base.digest else { return nil }
        let made = try draft.patch(
            from: archive,
            base.version,
            to: list,
            archiveByteCount: entry.size,
            progress: progress
        )
        guard let made else { return nil }
        let name = "\(draft.name)-\(entry.version)\(Self.patchInfix)\(base.version)\(Self.patchSuffix)"
        return FeedPatch(from: base.version, base: made.base, file: try publish(made.bytes, as: name))
    }

    private func publish(_ bytes: [UInt8], as name: String) throws -> FeedFile<String> {
        let path = try BundlePath(name)
        // Nothing names it yet.
        UnfinishedOutput.add("\(folder)/\(path)")
        try StagedFile(for: "\(folder)/\(path)").publish(bytes)
        return FeedFile(location: FeedEntry.source(of: path), size: Int64(bytes.count), digest: Digest(of: bytes))
    }
}
