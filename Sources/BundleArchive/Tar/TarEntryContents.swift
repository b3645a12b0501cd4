import CArchive

/// The bytes of the current entry, checked against the declared size.
struct TarEntryContents {
    /// No entry, or an entry without bytes.
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
    /// - Parameter isSparse: Whether it may have holes, which aren't stored in the archive.
    init(of entry: ArchiveEntry, isSparse: Bool) {
        self.init(declaredByteCount: entry.byteCount, isSparse: isSparse, isComplete: entry.kind != .file)
    }

    /// Fills `buffer`, and verifies the entry when its end is reached.
    mutating func read(
        into buffer: UnsafeMutableRawBufferPointer,
        from source: TarSource
    ) throws(ArchiveError) -> Int {
        let count = try fill(buffer, from: source)
        producedByteCount += Int64(count)
        // libarchive verifies the checksum at the end, so one more step is needed when the buffer was filled.
        let hasEnded = count < buffer.count
        if hasEnded || producedByteCount >= declaredByteCount {
            let excess = hasEnded ? 0 : try probe(source)
            guard excess == 0, producedByteCount == declaredByteCount else { throw .wrongSize }
            isComplete = true
        }
        return count
    }

    /// Fills `buffer` unless the entry ends before. libarchive returns less at the edges of holes; there it even
    /// returns 0 bytes once and then continues.
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
