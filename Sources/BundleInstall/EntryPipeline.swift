import BundleArchive
import BundleStore

/// Moves entries from the collector to the consumer: batches of entries are collected, decoded and hashed, and written to the
/// store.
final class EntryPipeline: PipelineStages {
    private let collector: EntryCollector
    private let consumer: EntryConsumer

    init(_ collector: EntryCollector, _ consumer: EntryConsumer) {
        self.collector = collector
        self.consumer = consumer
    }

    /// Runs once, to the archive's end.
    ///
    /// - Parameter progress: Called now and then, on the calling thread, with the bytes of the archive read so far.
    /// - Throws: The error of the first faulty entry in the archive's order; `CancellationError` when the task is
    ///   cancelled.
    func run(_ progress: (Int64) -> Void) throws {
        try BatchPipeline(self).run(progress)
        if let failure = collector.failure { throw failure }
        progress(collector.reader.archiveByteCount)
        try Task.checkCancellation()
    }

    func makeBatch() -> ContentBatch { ContentBatch() }

    func collect(_ batch: ContentBatch) -> Bool { collector.fill(batch) }

    func decode(_ batch: ContentBatch) { batch.decode() }

    func consume(_ batch: ContentBatch) throws -> Int64 {
        try consumer.consume(batch)
        return batch.archivePosition
    }
}

/// Reads the headers of an archive's entries, checks their names against the rules, and collects the entries in
/// batches. Data that must be read in the archive's order is read here; data that can be decoded in any order is left
/// to the batches.
///
/// Not thread-safe.
final class EntryCollector {
    /// Larger files aren't held in memory completely but are read in parts.
    private static let maximumHeldByteCount = 4 << 20

    let reader: ArchiveReader
    /// Why no more entries follow, unless it is the archive's end.
    private(set) var failure: (any Error)?

    private var hasEnded = false
    // An entry that didn't fit into the batch before, or that is read in parts.
    private var waiting: (entry: ArchiveEntry, action: ContentBatch.Action)?
    // How much of the waiting entry remains to be read; nil for an entry that isn't read in parts.
    private var remainingByteCount: Int?

    init(_ reader: ArchiveReader) {
        self.reader = reader
    }

    /// Fills an empty batch with the next entries.
    ///
    /// - Returns: False when there are no more, because the archive has ended or an error occurred.
    func fill(_ batch: ContentBatch) -> Bool {
        do {
            while failure == nil, let (entry, action) = try next() {
                guard try add(entry, action, to: batch) else {
                    waiting = (entry, action)
                    break
                }
            }
        } catch {
            failure = error
        }
        batch.archivePosition = reader.bytesConsumed
        return !batch.items.isEmpty
    }

    private func next() throws -> (ArchiveEntry, ContentBatch.Action)? {
        if let waiting {
            self.waiting = nil
            return waiting
        }
        while !hasEnded, let entry = try reader.nextEntry() {
            if let action = try EntryRules.action(for: entry) { return (entry, action) }
        }
        hasEnded = true
        return nil
    }

    /// Returns false when the entry, or the rest of it, has to wait for the next batch.
    private func add(_ entry: ArchiveEntry, _ action: ContentBatch.Action, to batch: ContentBatch) throws -> Bool {
        guard entry.kind == .file else {
            guard batch.hasRoom(for: 0) else { return false }
            batch.append(action)
            return true
        }
        guard entry.byteCount <= Self.maximumHeldByteCount else {
            return try addPart(of: entry, action, to: batch)
        }
        let byteCount = Int(entry.byteCount)
        guard batch.hasRoom(for: byteCount) else { return false }
        if let content = reader.deferredContent() {
            batch.append(action, content)
        } else {
            try batch.append(action, byteCount: byteCount) { try readWhole(into: $0) }
        }
        return true
    }

    /// Reads the next part of a large file into a batch of its own.
    private func addPart(of entry: ArchiveEntry, _ action: ContentBatch.Action, to batch: ContentBatch) throws -> Bool {
        guard batch.items.isEmpty else { return false }
        let remaining = remainingByteCount ?? Int(entry.byteCount)
        let count = min(remaining, ContentBatch.maximumByteCount)
        let isLast = count == remaining
        try batch.append(action.forPart(isLast: isLast), byteCount: count) { try readWhole(into: $0) }
        remainingByteCount = isLast ? nil : remaining - count
        return isLast
    }

    /// Fills `buffer` from the current entry, whose size the reader verifies.
    private func readWhole(into buffer: UnsafeMutableRawBufferPointer) throws {
        guard buffer.isEmpty else {
            _ = try reader.read(into: buffer)
            return
        }
        // An empty file is only verified to be empty when it is read.
        _ = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try reader.read(into: $0) }
    }
}

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
