import BundleModel

/// A zip's end of central directory record, with its ZIP64 extension (APPNOTE 6.3.10, sections 4.3.14 to 4.3.16): the
/// location of the central directory, and the number of entries.
struct ZipEndRecord: Equatable {
    private static let signature: UInt32 = 0x0605_4B50
    private static let byteCount = 22
    /// The maximum distance from the end of the file: the record's comment has at most 65,535 bytes.
    private static let searchByteCount = byteCount + Int(UInt16.max)

    /// The number of entries.
    let entryCount: Int64
    /// The range of the central directory in the file.
    let directory: Range<Int64>

    /// Finds and checks the record in `file`. Nothing may follow the record, and it must follow the central directory.
    init(in file: ArchiveFile) throws(ArchiveError) {
        let tailOffset = max(0, file.byteCount - Int64(Self.searchByteCount))
        let (start, fields) = try file.withBytes(
            at: tailOffset,
            count: Self.searchByteCount
        ) { tail throws(ArchiveError) in
            let start = try Self.start(in: tail, tailOffset: tailOffset)
            return (start, try Fields(tail.part(from: start, count: Self.byteCount)))
        }
        let offset = tailOffset + Int64(start)
        if let wide = try Zip64EndRecord(in: file, endRecordOffset: offset) {
            guard wide.agrees(with: fields) else { throw Self.misplaced }
            try self.init(
                entryCount: wide.entryCount,
                directoryOffset: wide.directoryOffset,
                directoryByteCount: wide.directoryByteCount,
                end: wide.offset
            )
        } else {
            guard fields.disks == 0, fields.entryCountHere == fields.entryCount else { throw Self.split }
            try self.init(
                entryCount: UInt64(fields.entryCount),
                directoryOffset: UInt64(fields.directoryOffset),
                directoryByteCount: UInt64(fields.directoryByteCount),
                end: offset
            )
        }
    }

    private init(
        entryCount: UInt64,
        directoryOffset: UInt64,
        directoryByteCount: UInt64,
        end: Int64
    ) throws(ArchiveError) {
        // Anything between the directory and its record, or before the first entry, makes programs disagree about where
        // the entries are. This also ensures that a truncated archive isn't taken for a zip that it contains.
        let (directoryEnd, overflow) = directoryOffset.addingReportingOverflow(directoryByteCount)
        guard !overflow, directoryEnd == UInt64(end) else { throw Self.misplaced }
        guard entryCount <= directoryByteCount / UInt64(ZipDirectoryRecord.fixedByteCount) else {
            throw .damagedZip("says that it has \(entryCount) entries, but its list of entries is too short for them")
        }
        self.entryCount = Int64(entryCount)
        directory = Int64(directoryOffset)..<end
    }

    /// The fields of the record itself, before ZIP64 widens them.
    struct Fields {
        /// The numbers of this disk and of the directory's first disk.
        let disks: UInt32
        let entryCountHere: UInt16
        let entryCount: UInt16
        let directoryByteCount: UInt32
        let directoryOffset: UInt32

        fileprivate init(_ record: UnsafeRawBufferPointer) throws(ArchiveError) {
            guard let disks = record.littleEndian(UInt32.self, at: 4),
                let entryCountHere = record.littleEndian(UInt16.self, at: 8),
                let entryCount = record.littleEndian(UInt16.self, at: 10),
                let byteCount = record.littleEndian(UInt32.self, at: 12),
                let offset = record.littleEndian(UInt32.self, at: 16)
            else { throw misplaced }
            self.disks = disks
            self.entryCountHere = entryCountHere
            self.entryCount = entryCount
            directoryByteCount = byteCount
            directoryOffset = offset
        }
    }

    /// The offset of the only record whose comment ends with the file. Two such records would each define another
    /// archive.
    private static func start(in tail: UnsafeRawBufferPointer, tailOffset: Int64) throws(ArchiveError) -> Int {
        var found: Int?
        var followedEnd: Int?
        for start in stride(from: tail.count - byteCount, through: 0, by: -1) where tail[start] == 0x50 {
            guard tail.littleEndian(UInt32.self, at: start) == signature,
                let commentByteCount = tail.littleEndian(UInt16.self, at: start + 20)
            else { continue }
            let end = start + byteCount + Int(commentByteCount)
            if end == tail.count {
                guard found == nil else { throw .damagedZip("has two end records, one in the comment of the other") }
                found = start
            } else if end < tail.count {
                if followedEnd == nil, isEnd(tail, at: start, offset: tailOffset + Int64(start)) { followedEnd = end }
            }
        }
        if let found { return found }
        if tail.dropFirst(followedEnd ?? 0).allSatisfy({ $0 == 0 }) { throw .followed(byZeros: true) }
        if followedEnd != nil { throw .followed(byZeros: false) }
        throw ArchiveError(
            .truncated,
            tail.count < searchByteCount
                ? "ends too early: its list of entries is missing"
                : "ends too early, or has over 64 KB of data after its end: its list of entries isn't there",
            advice: ArchiveError.fetchAgain
        )
    }

    /// Whether the record at `start` ends an archive that starts with the file, rather than one within it.
    private static func isEnd(_ tail: UnsafeRawBufferPointer, at start: Int, offset: Int64) -> Bool {
        guard let byteCount = tail.littleEndian(UInt32.self, at: start + 12),
            let directoryOffset = tail.littleEndian(UInt32.self, at: start + 16)
        else { return false }
        return Int64(byteCount) + Int64(directoryOffset) == offset || directoryOffset == .max
    }

    static var misplaced: ArchiveError {
        .damagedZip("is damaged: its list of entries isn't where its end says, or has data before or after it")
    }

    static var split: ArchiveError {
        ArchiveError(.unsupportedFormat, "is one part of a split zip", advice: "join the parts into one archive")
    }
}

extension ArchiveError {
    /// A zip that contradicts itself.
    static func damagedZip(_ problem: String) -> ArchiveError {
        ArchiveError(.damaged, problem, advice: fetchAgain)
    }
}

/// A zip's ZIP64 end of central directory record, found through its locator (APPNOTE 6.3.10, sections 4.3.14 and
/// 4.3.15).
struct Zip64EndRecord: Equatable {
    private static let locatorSignature: UInt32 = 0x0706_4B50
    private static let locatorByteCount = 20
    private static let signature: UInt32 = 0x0606_4B50
    private static let byteCount = 56

    /// The offset of the record.
    let offset: Int64
    /// The number of entries.
    let entryCount: UInt64
    /// The offset of the central directory in the file.
    let directoryOffset: UInt64
    /// The central directory's size in bytes.
    let directoryByteCount: UInt64

    /// Reads the record whose locator ends at `endRecordOffset`. Returns nil when there is no locator.
    init?(in file: ArchiveFile, endRecordOffset: Int64) throws(ArchiveError) {
        let locatorOffset = endRecordOffset - Int64(Self.locatorByteCount)
        // The two are adjacent: 4.3.1 leaves no room between them, and version 2 of the record, which is longer, is for
        // encrypted directories.
        let recordOffset = locatorOffset - Int64(Self.byteCount)
        guard locatorOffset >= 0 else { return nil }
        let target = try file.withBytes(at: locatorOffset, count: Self.locatorByteCount, Self.target)
        guard let target else { return nil }
        guard recordOffset >= 0, target == UInt64(recordOffset) else { throw ZipEndRecord.misplaced }
        self = try file.withBytes(at: recordOffset, count: Self.byteCount) { record throws(ArchiveError) in
            try Self(record, offset: recordOffset)
        }
    }

    private init(_ record: UnsafeRawBufferPointer, offset: Int64) throws(ArchiveError) {
        guard record.littleEndian(UInt32.self, at: 0) == Self.signature,
            record.littleEndian(UInt64.self, at: 4) == UInt64(Self.byteCount - 12),
            let disks = record.littleEndian(UInt64.self, at: 16),
            let entryCountHere = record.littleEndian(UInt64.self, at: 24),
            let entryCount = record.littleEndian(UInt64.self, at: 32),
            let directoryByteCount = record.littleEndian(UInt64.self, at: 40),
            let directoryOffset = record.littleEndian(UInt64.self, at: 48)
        else { throw ZipEndRecord.misplaced }
        guard disks == 0, entryCountHere == entryCount else { throw ZipEndRecord.split }
        self.offset = offset
        self.entryCount = entryCount
        self.directoryOffset = directoryOffset
        self.directoryByteCount = directoryByteCount
    }

    /// The record's offset according to `locator`, or nil when it isn't a locator.
    private static func target(of locator: UnsafeRawBufferPointer) throws(ArchiveError) -> UInt64? {
        guard locator.littleEndian(UInt32.self, at: 0) == locatorSignature else { return nil }
        guard locator.littleEndian(UInt32.self, at: 4) == 0, let diskCount = locator.littleEndian(UInt32.self, at: 16),
            diskCount <= 1
        else { throw ZipEndRecord.split }
        return locator.littleEndian(UInt64.self, at: 8)
    }

    /// Whether each of `fields` is the same number or the placeholder for “too large” (section 4.4.1.4): programs that
    /// don't know ZIP64 then see the same archive, or none.
    func agrees(with fields: ZipEndRecord.Fields) -> Bool {
        let disks = [UInt16(truncatingIfNeeded: fields.disks), UInt16(truncatingIfNeeded: fields.disks >> 16)]
        return disks.allSatisfy { $0 == 0 || $0 == .max }
            && [fields.entryCountHere, fields.entryCount].allSatisfy { $0 == .max || UInt64($0) == entryCount }
            && (fields.directoryByteCount == .max || UInt64(fields.directoryByteCount) == directoryByteCount)
            && (fields.directoryOffset == .max || UInt64(fields.directoryOffset) == directoryOffset)
    }
}
