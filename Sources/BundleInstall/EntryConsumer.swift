import BundleArchive
import BundleStore

/// Writes entries to the store, in the archive's order, and keeps the manifests among them.
///
/// Not thread-safe.
final class EntryConsumer {
    /// Nil once it is sealed.
    private var ingest: ReleaseIngest?
    /// The number of files that were read and left out because they are macOS metadata.
    private(set) var leftOutCount = 0
    /// The manifests so far; nil for one that is a link, whose content isn't known before everything has been read.
    private var manifestsByPath: [BundlePath: [UInt8]?] = [:]
    /// The start of a file that comes in parts, up to the length of a manifest.
    private var startOfLargeFile: [UInt8] = []

    init(_ ingest: consuming ReleaseIngest) {
        self.ingest = .some(consume ingest)
    }

    /// Adds the entries of a batch that has been decoded.
    ///
    /// - Throws: The error that stopped the batch, after adding the entries before it; `BundleError`.
    func consume(_ batch: ContentBatch) throws {
        try ingest?.withoutCopying { try consumeItems(of: batch) }
        if let failure = batch.failure { throw failure }
    }

    private func consumeItems(of batch: ContentBatch) throws {
        for item in batch.items {
            switch item.action {
            case .addFile(let path):
                guard let digest = item.digest else { break }
                try add(path, batch.bytes(of: item), digest)
            case .addPart(let path): try addPart(batch.bytes(of: item), endingFile: path)
            case .addFolder(let path): try ingest?.addFolder(path)
            case .addLink(let path, let target, let kind):
                try ingest?.addLink(path, to: target, kind)
                if mayBeManifest(path) { manifestsByPath[path] = .some(nil) }
            case .leaveOut, .leaveOutPart(isLast: true): leftOutCount += 1
            case .leaveOutPart(isLast: false): break
            }
        }
    }

    /// Ends the ingest. Call it once, after everything has been read.
    ///
    /// - Throws: As ``/BundleStore/ReleaseIngest/seal(maximumFileCount:maximumByteCount:checkpoint:)``.
    func seal(_ limits: ArchiveLimits, checkpoint: () throws -> Void) throws -> SealedRelease {
        guard let ingest = ingest.take() else { preconditionFailure("the ingest was sealed before") }
        return try ingest.seal(
            maximumFileCount: limits.maximumEntryCount,
            maximumByteCount: UInt64(clamping: limits.maximumTotalByteCount),
            checkpoint: checkpoint
        )
    }

    /// The manifest at the root, or in the single top-level folder, which is then removed from all the paths.
    ///
    /// - Throws: `BundleError` when it is a link and its target can't be read.
    func takeManifest(from release: inout SealedRelease) throws -> [UInt8]? {
        if let root = manifestsByPath.first(where: { $0.key.components.count == 1 }) {
            return try content(of: root, in: release)
        }
        guard manifestsByPath.count == 1, let nested = manifestsByPath.first,
            let content = try content(of: nested, in: release),
            release.stripFolder(String(nested.key.components[0]))
        else { return nil }
        return content
    }

    /// GNU tar writes the second name of a file as a link, and that may be the manifest's name.
    private func content(
        of manifest: (key: BundlePath, value: [UInt8]?),
        in release: borrowing SealedRelease
    ) throws -> [UInt8]? {
        if let bytes = manifest.value { return bytes }
        return try release.content(of: manifest.key, atMost: BundleManifest.maximumByteCount + 1)
    }

    private func add(_ path: BundlePath, _ content: UnsafeRawBufferPointer, _ digest: Digest) throws {
        try ingest?.add(path, content, digest: digest)
        guard mayBeManifest(path) else { return }
        var manifest: [UInt8] = []
        Self.append(content, to: &manifest)
        manifestsByPath[path] = manifest
    }

    private func addPart(_ bytes: UnsafeRawBufferPointer, endingFile path: BundlePath?) throws {
        try ingest?.append(bytes)
        Self.append(bytes, to: &startOfLargeFile)
        guard let path else { return }
        try ingest?.endFile(path)
        if mayBeManifest(path) { manifestsByPath[path] = startOfLargeFile }
        startOfLargeFile = []
    }

    /// One byte over the limit is kept, so that the parser can report that it is too long.
    private static func append(_ bytes: UnsafeRawBufferPointer, to manifest: inout [UInt8]) {
        manifest.append(contentsOf: bytes.prefix(max(BundleManifest.maximumByteCount + 1 - manifest.count, 0)))
    }

    private func mayBeManifest(_ path: BundlePath) -> Bool {
        guard path.string.utf8.last == UInt8(ascii: "n"), path.lastComponent == BundleManifest.fileName else {
            return false
        }
        let depth = path.components.count
        // A second folder's manifest is only kept to detect that there are two; a thousand would fill the memory.
        return depth == 1 || depth == 2 && manifestsByPath.count < 2
    }
}
