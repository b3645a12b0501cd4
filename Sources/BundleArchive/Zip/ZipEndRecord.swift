/// A zip's end of central directory record, with its ZIP64 extension (APPNOTE 6.3.10, sections 4.3.14 to 4.3.16): where
/// the list of entries is, and how many there are.
struct ZipEndRecord: Equatable {
    /// The number of entries.
    let entryCount: Int64
    /// Where the central directory starts in the file.
    let directoryOffset: Int64
    /// The central directory's size in bytes.
    let directoryByteCount: Int64

    private static let signature: [UInt8] = [0x50, 0x4B, 5, 6]
    private static let byteCount = 22
    private static let zip64LocatorByteCount = 20
    private static let zip64RecordByteCount = 56
    /// libarchive looks for the record in this many bytes at the end.
    private static let searchByteCount = 16 * 1_024

    /// Finds and checks the record in `file`.
    init(in file: ArchiveFile) throws(ArchiveError) {
        let tailOffset = max(0, file.byteCount - Int64(Self.searchByteCount))
        let tail = try file.bytes(at: tailOffset, count: Self.searchByteCount)
        guard let start = Self.lastRecord(in: tail) else {
            throw ArchiveError(
                .truncated,
                "ends too early: its list of entries is missing",
                advice: ArchiveError.fetchAgain
            )
        }
        let locatorStart = start - Self.zip64LocatorByteCount
        let end: Int64
        if locatorStart >= 0, tail[locatorStart...].starts(with: [0x50, 0x4B, 6, 7]) {
            let offset = Int64(clamping: tail.littleEndian(UInt64.self, at: locatorStart + 8) ?? .max)
            guard offset <= tailOffset + Int64(locatorStart) else { throw Self.misplaced }
            self = try Self(zip64Record: file.bytes(at: offset, count: Self.zip64RecordByteCount))
            end = offset
        } else {
            self = try Self(record: tail[start...])
            end = tailOffset + Int64(start)
        }
        // Anything between the directory and its record, or before the first entry, makes programs disagree about
        // where the entries are. It also means that a cut archive isn't taken for the zip that it contains.
        let (directoryEnd, overflow) = directoryOffset.addingReportingOverflow(directoryByteCount)
        guard !overflow, directoryEnd == end else { throw Self.misplaced }
    }

    private init(entryCount: Int64, directoryOffset: Int64, directoryByteCount: Int64) {
        self.entryCount = entryCount
        self.directoryOffset = directoryOffset
        self.directoryByteCount = directoryByteCount
    }

    private init(record: ArraySlice<UInt8>) throws(ArchiveError) {
        guard let disks = record.littleEndian(UInt32.self, at: 4),
            let entryCountHere = record.littleEndian(UInt16.self, at: 8),
            let entryCount = record.littleEndian(UInt16.self, at: 10),
            let byteCount = record.littleEndian(UInt32.self, at: 12),
            let offset = record.littleEndian(UInt32.self, at: 16),
            let commentByteCount = record.littleEndian(UInt16.self, at: 20)
        else { throw Self.misplaced }
        guard disks == 0, entryCountHere == entryCount else { throw Self.split }
        guard record.count == Self.byteCount + Int(commentByteCount) else {
            throw ArchiveError(.damaged, "has data after its end", advice: ArchiveError.fetchAgain)
        }
        self.init(entryCount: Int64(entryCount), directoryOffset: Int64(offset), directoryByteCount: Int64(byteCount))
    }

    private init(zip64Record record: [UInt8]) throws(ArchiveError) {
        guard record.starts(with: [0x50, 0x4B, 6, 6]),
            let disks = record.littleEndian(UInt64.self, at: 16),
            let entryCountHere = record.littleEndian(UInt64.self, at: 24),
            let entryCount = record.littleEndian(UInt64.self, at: 32),
            let byteCount = record.littleEndian(UInt64.self, at: 40),
            let offset = record.littleEndian(UInt64.self, at: 48)
        else { throw Self.misplaced }
        guard disks == 0, entryCountHere == entryCount else { throw Self.split }
        self.init(
            entryCount: Int64(clamping: entryCount),
            directoryOffset: Int64(clamping: offset),
            directoryByteCount: Int64(clamping: byteCount)
        )
    }

    /// Where the last complete record starts, which is the one that libarchive takes.
    private static func lastRecord(in tail: [UInt8]) -> Int? {
        guard tail.count >= byteCount else { return nil }
        return (0...tail.count - byteCount).last { tail[$0...].starts(with: signature) }
    }

    private static var misplaced: ArchiveError {
        ArchiveError(
            .damaged,
            "is damaged: its list of entries isn't where its end says",
            advice: ArchiveError.fetchAgain
        )
    }

    private static var split: ArchiveError {
        ArchiveError(.unsupportedFormat, "is one part of a split zip", advice: "join the parts into one archive")
    }
}
