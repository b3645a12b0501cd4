/// A place in a run of sorted records.
final class RunCursor {
    private let source: SpillingBuffer
    private let buffer: UnsafeMutableRawBufferPointer
    /// What hasn't been read into the buffer yet.
    private var rest: Range<Int>
    /// What is in the buffer and hasn't been passed yet.
    private var available = 0..<0

    /// The record here, valid until ``advance()``; nil at the end.
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

    /// Goes on to the next record; to the first one at the start.
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
