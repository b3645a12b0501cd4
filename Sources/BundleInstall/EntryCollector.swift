import BundleArchive
import BundleStore

/// Reads the heads of an archive's entries, holds their names to the rules, and gathers the entries in batches. What has to
/// be read in the archive's order is read here; what can be decoded anywhere is left to the batches.
///
/// Not thread-safe.
final class EntryCollector {
    /// A file too large to be held in memory, which the reader stands at.
    struct LargeFile {
        /// Nil when it is read only to know that it is sound.
        let path: BundlePath?
    }

    /// Larger files aren't held in memory whole.
    private static let maximumHeldByteCount = 4 << 20
    /// So many bytes in a round are enough.
    private static let roundByteCount = 4 << 20

    let reader: ArchiveReader
    /// What stopped the last round: everything collected comes before it.
    private(set) var largeFile: LargeFile?
    /// Why nothing comes any more, if that isn't the archive's end.
    private(set) var failure: (any Error)?
    private(set) var hasEnded = false

    private let archive: String
    private let batchCount: Int
    private var freeBatches: [ContentBatch] = []
    // A file that had no room in the last batch of the round before.
    private var waiting: (ArchiveEntry, ContentBatch.Action)?

    /// - Parameter batchCount: How many batches a round may have.
    init(_ reader: ArchiveReader, archive: String, batchCount: Int) {
        self.reader = reader
        self.archive = archive
        self.batchCount = batchCount
    }

    /// The next batches, none when there is a large file next, at the end, and after a failure.
    func collect() -> [ContentBatch] {
        var round: [ContentBatch] = []
        do {
            while !hasEnded, failure == nil, largeFile == nil, let (entry, action) = try next() {
                if let large = Self.largeFile(entry, action) {
                    largeFile = large
                } else if try !add(entry, action, to: &round) {
                    waiting = (entry, action)
                    break
                }
            }
        } catch {
            failure = error
        }
        return round
    }

    /// Says that the large file has been read.
    func passLargeFile() { largeFile = nil }

    /// Takes batches back that are done with.
    func reuse(_ batches: [ContentBatch]) {
        for batch in batches { batch.removeAll() }
        freeBatches += batches
    }

    private func next() throws -> (ArchiveEntry, ContentBatch.Action)? {
        if let waiting {
            self.waiting = nil
            return waiting
        }
        while let entry = try reader.nextEntry() {
            if let action = try EntryRules.action(for: entry, in: archive) { return (entry, action) }
        }
        hasEnded = true
        return nil
    }

    /// Returns false when the round is full.
    private func add(
        _ entry: ArchiveEntry,
        _ action: ContentBatch.Action,
        to round: inout [ContentBatch]
    ) throws -> Bool {
        let byteCount = Int(entry.byteCount)
        if round.last?.hasRoom(for: byteCount) != true {
            guard round.count < batchCount, round.reduce(0, { $0 + $1.byteCount }) < Self.roundByteCount else {
                return false
            }
            round.append(freeBatches.popLast() ?? ContentBatch())
        }
        guard let batch = round.last else { return false }
        guard entry.kind == .file else {
            batch.append(action)
            return true
        }
        if let content = reader.deferredContent() {
            batch.append(action, content)
        } else {
            try batch.append(action, byteCount: byteCount) { try readWhole(into: $0) }
        }
        return true
    }

    /// Reads the current entry, whose size the reader makes sure of.
    private func readWhole(into buffer: UnsafeMutableRawBufferPointer) throws {
        guard buffer.isEmpty else {
            _ = try reader.read(into: buffer)
            return
        }
        // An empty file is only proven to be one when it is read.
        _ = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try reader.read(into: $0) }
    }

    private static func largeFile(_ entry: ArchiveEntry, _ action: ContentBatch.Action) -> LargeFile? {
        guard entry.kind == .file, entry.byteCount > maximumHeldByteCount else { return nil }
        if case .addFile(let path) = action { return LargeFile(path: path) }
        return LargeFile(path: nil)
    }
}
