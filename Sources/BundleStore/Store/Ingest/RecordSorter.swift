/// The records of a release, in any number and in bounded memory: they are collected, sorted in runs, and merged on
/// each iteration.
///
/// Not thread-safe.
final class RecordSorter {
    private static let bufferByteCount = 1 << 20

    private let runByteCount: Int
    private let runs: SpillingBuffer
    private var runRanges: [Range<Int>] = []
    // The run being collected: the records' bytes, and where each record starts.
    private var pending: [UInt8] = []
    private var pendingStarts: [UInt32] = []

    /// The number of records.
    private(set) var count = 0

    /// - Parameters:
    ///   - layout: Where to create a temporary file if one is needed.
    ///   - runByteCount: The size of the runs that are sorted in memory.
    init(in layout: StoreLayout, runByteCount: Int = 2 << 20) {
        self.runByteCount = runByteCount
        runs = SpillingBuffer(spillingTo: layout.temporary(.random()), over: runByteCount)
    }

    /// Adds a record.
    ///
    /// - Throws: `Errno` when the temporary file can't be written.
    func append(_ kind: IngestRecord.Kind, _ key: UnsafeRawBufferPointer, _ content: IngestContent) throws {
        if pending.count + IngestRecord.maximumByteCount > runByteCount { try endRun() }
        // Reserved pages take no memory before they are used, and the array never has to move.
        if pending.isEmpty { pending.reserveCapacity(runByteCount) }
        pendingStarts.append(UInt32(truncatingIfNeeded: pending.count))
        IngestRecord.append(kind, key, content, to: &pending)
        count += 1
    }

    /// Calls `body` for each record in the order of the keys' bytes. A record is valid only during the call.
    ///
    /// - Throws: What `body` throws; `Errno` when the temporary file can't be read or written.
    func forEach(_ body: (IngestRecord) throws -> Void) throws {
        try endRun()
        pending = []
        let byteCount = max(Self.bufferByteCount / max(runRanges.count, 1), 2 * IngestRecord.maximumByteCount)
        var cursors = try RunCursorHeap(runRanges.map { RunCursor(runs, $0, bufferByteCount: min(byteCount, 1 << 18)) })
        while let record = cursors.first {
            try body(record)
            try cursors.advanceFirst()
        }
    }

    private func endRun() throws {
        guard !pendingStarts.isEmpty else { return }
        let start = runs.byteCount
        try pending.withUnsafeBytes { bytes in
            func record(at start: UInt32) -> IngestRecord? {
                IngestRecord(startOf: UnsafeRawBufferPointer(rebasing: bytes[Int(start)...]))
            }
            pendingStarts.sort { left, right in
                guard let left = record(at: left), let right = record(at: right) else { return false }
                return left.key.precedes(right.key)
            }
            for start in pendingStarts {
                if let record = record(at: start) { try runs.append(record.bytes) }
            }
        }
        runRanges.append(start..<runs.byteCount)
        pending.removeAll(keepingCapacity: true)
        pendingStarts.removeAll(keepingCapacity: true)
    }
}
