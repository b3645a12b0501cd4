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

/// Cursors in several runs, as a binary heap ordered by their keys, smallest first.
struct RunCursorHeap {
    private var cursors: [RunCursor] = []

    init(_ cursors: [RunCursor]) throws {
        for cursor in cursors {
            try cursor.advance()
            if cursor.record != nil { self.cursors.append(cursor) }
        }
        for index in self.cursors.indices.reversed() { sink(index) }
    }

    /// The record with the smallest key, valid until ``advanceFirst()``; nil when all runs are exhausted.
    var first: IngestRecord? { cursors.first?.record }

    mutating func advanceFirst() throws {
        guard let first = cursors.first else { return }
        try first.advance()
        if first.record == nil {
            cursors.swapAt(0, cursors.count - 1)
            cursors.removeLast()
        }
        sink(0)
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2] where child < cursors.count && precedes(child, smallest) {
                smallest = child
            }
            guard smallest != index else { return }
            cursors.swapAt(index, smallest)
            index = smallest
        }
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        guard let left = cursors[left].record, let right = cursors[right].record else { return false }
        return left.key.precedes(right.key)
    }
}

/// A position in a run of sorted records.
final class RunCursor {
    private let source: SpillingBuffer
    private let buffer: UnsafeMutableRawBufferPointer
    /// The part of the run that hasn't been read into the buffer yet.
    private var rest: Range<Int>
    /// The part of the buffer that hasn't been consumed yet.
    private var available = 0..<0

    /// The current record, valid until ``advance()``; nil at the end.
    private(set) var record: IngestRecord?

    /// - Parameter bufferByteCount: At least ``IngestRecord/maximumByteCount``.
    init(_ source: SpillingBuffer, _ range: Range<Int>, bufferByteCount: Int) {
        self.source = source
        rest = range
        buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferByteCount, alignment: 8)
    }

    deinit {
        buffer.deallocate()
    }

    /// Advances to the next record; at the start, to the first one.
    ///
    /// - Throws: `Errno` when the run can't be read.
    func advance() throws {
        available = available.lowerBound + (record?.bytes.count ?? 0)..<available.upperBound
        record = next
        guard record == nil, !rest.isEmpty else { return }
        try refill()
        record = next
    }

    private var next: IngestRecord? {
        IngestRecord(startOf: UnsafeRawBufferPointer(rebasing: buffer[available]))
    }

    private func refill() throws {
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<available.count])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[available]))
        let count = min(buffer.count - available.count, rest.count)
        let end = available.count + count
        try source.read(
            at: rest.lowerBound,
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[available.count..<end])
        )
        rest = rest.lowerBound + count..<rest.upperBound
        available = 0..<end
    }
}
