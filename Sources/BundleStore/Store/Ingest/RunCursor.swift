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
