import CArchive

/// The bytes of the current entry, held against the size that the archive declared.
struct TarEntryContents {
    /// No entry, or one without bytes.
    static let none = TarEntryContents(declaredByteCount: 0, isSparse: false, isComplete: true)

    private let declaredByteCount: Int64
    private let isSparse: Bool
    private var producedByteCount: Int64 = 0
    /// Whether everything has been read and verified.
    private(set) var isComplete: Bool

    private init(declaredByteCount: Int64, isSparse: Bool, isComplete: Bool) {
        self.declaredByteCount = declaredByteCount
        self.isSparse = isSparse
        self.isComplete = isComplete
    }

    /// The contents of `entry`.
    ///
    /// - Parameter isSparse: Whether it may have holes, which the archive leaves out.
    init(of entry: ArchiveEntry, isSparse: Bool) {
        self.init(declaredByteCount: entry.byteCount, isSparse: isSparse, isComplete: entry.kind != .file)
    }

    /// Fills `buffer` and verifies the entry when that was its end.
    mutating func read(
        into buffer: UnsafeMutableRawBufferPointer,
        from source: TarSource
    ) throws(ArchiveError) -> Int {
        let count = try fill(buffer, from: source)
        producedByteCount += Int64(count)
        // libarchive verifies the checksum on the way to the end, so one more step is due when the buffer was filled.
        let hasEnded = count < buffer.count
        if hasEnded || producedByteCount >= declaredByteCount {
            let excess = hasEnded ? 0 : try probe(source)
            guard excess == 0, producedByteCount == declaredByteCount else { throw .wrongSize }
            isComplete = true
        }
        return count
    }

    /// Fills `buffer` unless the entry ends before. libarchive stops short at the borders of holes: it even gives no byte once
    /// and goes on then.
    private func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        from source: TarSource
    ) throws(ArchiveError) -> Int {
        var (count, emptyCount) = (0, 0)
        while count < buffer.count, emptyCount < (isSparse ? 2 : 1) {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let stepCount = archive_read_data(source.handle.pointer, rest.baseAddress, rest.count)
            guard stepCount >= 0 else { throw source.failure() }
            count += stepCount
            emptyCount = stepCount == 0 ? emptyCount + 1 : 0
        }
        return count
    }

    private func probe(_ source: TarSource) throws(ArchiveError) -> Int {
        var byte: UInt8 = 0
        return try withUnsafeMutableBytes(of: &byte) { buffer throws(ArchiveError) in try fill(buffer, from: source) }
    }
}
