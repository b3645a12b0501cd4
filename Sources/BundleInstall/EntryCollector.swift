import BundleArchive
import BundleStore

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
