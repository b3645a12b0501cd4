import BundleInstall
import BundleStore

/// Makes the files that a feed offers beside an archive, so that clients needn't fetch the whole of it: its content list,
/// and patches from the releases before it.
///
/// Each is complete and durable before the feed names it.
struct ReleaseFiles {
    let draft: ReleaseDraft
    let folder: String
    /// Of how many earlier releases patches are made.
    let patchCount: Int

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
        let list = try draft.contentList(in: archive, entry.digest)
        let file = try list.encoded()
            .map { try publish($0, as: "\(draft.name)-\(entry.version)\(Self.listSuffix)") }
        if file == nil { warnings.append("\(draft.name)@\(entry.version) has too many files for a content list") }
        entry.contents = FeedContents(filesDigest: try draft.filesDigest(), list: file)
        for base in bases(of: entry, among: entries) {
            do {
                try patch(from: base, list, entry) { progress(.patching(from: base.version), $0) }
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

    /// The highest releases below the new one; revoked ones too, whose users need an update most.
    private func bases(of entry: FeedEntry, among entries: [FeedEntry]) -> [FeedEntry] {
        Array(entries.filter { $0.version < entry.version }.sorted { $0.version > $1.version }.prefix(patchCount))
    }

    /// Nil when the archive isn't in the folder, or no patch is worth it.
    private func patch(
        from base: FeedEntry,
        _ list: ContentList,
        _ entry: FeedEntry,
        _ progress: (ByteProgress) -> Void
    ) throws -> FeedPatch<String>? {
        guard let archive = try archive(of: base) else { return nil }
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

    /// The path of an earlier archive; nil when it is elsewhere, gone, or another one.
    private func archive(of entry: FeedEntry) throws -> String? {
        guard let path = ListedArchives(of: draft.name, in: folder).path(of: entry) else { return nil }
        return try Digest(ofFile: path) == entry.digest ? path : nil
    }

    private func publish(_ bytes: [UInt8], as name: String) throws -> FeedFile<String> {
        let path = try BundlePath(name)
        // Nothing names it yet.
        UnfinishedOutput.add("\(folder)/\(path)")
        try StagedFile(for: "\(folder)/\(path)").publish(bytes)
        return FeedFile(location: FeedEntry.source(of: path), size: Int64(bytes.count), digest: Digest(of: bytes))
    }
}
