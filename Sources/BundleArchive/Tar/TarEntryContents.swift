import CArchive

/// The bytes of the current entry, held against the size that the archive declared.
struct TarEntryContents {
    /// No entry, or one without bytes.
    static let none = TarEntryContents(declaredByteCount: 0, isComplete: true)

    private let declaredByteCount: Int64
    private var producedByteCount: Int64 = 0
    /// Whether everything has been read and verified.
    private(set) var isComplete: Bool

    private init(declaredByteCount: Int64, isComplete: Bool) {
        self.declaredByteCount = declaredByteCount
        self.isComplete = isComplete
    }

    /// The contents of `entry`.
    init(of entry: ArchiveEntry) {
        self.init(declaredByteCount: entry.byteCount, isComplete: entry.kind != .file)
    }

    /// Fills `buffer` and verifies the entry when that was its end.
    mutating func read(
        into buffer: UnsafeMutableRawBufferPointer,
        from source: TarSource
    ) throws(ArchiveError) -> Int {
        let count = archive_read_data(source.handle.pointer, buffer.baseAddress, buffer.count)
        guard count >= 0 else { throw source.failure() }
        producedByteCount += Int64(count)
        // libarchive verifies the checksum on the way to the end, so one more step is due when the buffer was filled.
        let hasEnded = count < buffer.count
        if hasEnded || producedByteCount >= declaredByteCount {
            let excess = hasEnded ? 0 : try Self.probe(source)
            guard excess == 0, producedByteCount == declaredByteCount else { throw .wrongSize }
            isComplete = true
        }
        return count
    }

    private static func probe(_ source: TarSource) throws(ArchiveError) -> Int {
        var byte: UInt8 = 0
        let count = archive_read_data(source.handle.pointer, &byte, 1)
        guard count >= 0 else { throw source.failure() }
        return count
    }
}
