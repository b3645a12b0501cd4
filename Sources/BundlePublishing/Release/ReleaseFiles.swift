import BundleInstall
import BundleStore
import BundleUpdate

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
    ///   - warnings: Why there is no content list is added.
    ///   - unpatched: The releases from which no patch leads here are added.
    ///   - archive: The archive's copy.
    ///   - entries: All releases that the feed offers.
    ///   - progress: Called now and then.
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when the folder can't be written;
    ///   `CancellationError` when the task is cancelled.
    func add(
        to entry: inout FeedEntry,
        _ warnings: inout [String],
        _ unpatched: inout [UnpatchedBase],
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
        for base in lacking {
            switch try patch(from: base, list, entry, { progress(.patching(from: base.version), $0) }) {
            case .success(let patch): entry.patches.append(patch)
            case .failure(let reason): unpatched.append(UnpatchedBase(version: base.version, reason: reason))
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

    private func lackingBases(of entry: FeedEntry, among entries: [FeedEntry]) -> [FeedEntry] {
        bases.releases(below: entry, among: entries)
            .filter { base in !entry.patches.contains { $0.from.string == base.version.string } }
    }

    private func patch(
        from base: FeedEntry,
        _ list: ContentList,
        _ entry: FeedEntry,
        _ progress: (ByteProgress) -> Void
    ) throws -> Result<FeedPatch<String>, UnpatchedBase.Reason> {
        do {
            guard let archive = ListedArchives(of: draft.name, in: folder).path(of: base) else {
                return .failure(.archiveMissing)
            }
            guard try Digest(ofFile: archive) == base.digest else { return .failure(.archiveChanged) }
            let made = try draft.patch(
                from: archive,
                base.version,
                to: list,
                listByteCount: entry.contents?.list.map(\.size)
                    .flatMap { UpdatePlanner.isWorthFetching(listOf: $0, whenOthersCost: entry.size) ? $0 : nil },
                archiveByteCount: entry.size,
                progress: progress
            )
            let name = "\(draft.name)-\(entry.version)\(Self.patchInfix)\(base.version)\(Self.patchSuffix)"
            switch made {
            case .success(let patch):
                return .success(
                    FeedPatch(from: base.version, base: patch.base, file: try publish(patch.bytes, as: name))
                )
            case .failure(let reason): return .failure(reason)
            }
        } catch let error as BundleError where error.code != .outputUnavailable {
            return .failure(.failed("\(error)"))
        }
    }

    private func publish(_ bytes: [UInt8], as name: String) throws -> FeedFile<String> {
        let path = try BundlePath(name)
        // Nothing names it yet.
        UnfinishedOutput.add("\(folder)/\(path)")
        try StagedFile(for: "\(folder)/\(path)").publish(bytes)
        return FeedFile(location: FeedEntry.source(of: path), size: Int64(bytes.count), digest: Digest(of: bytes))
    }
}
