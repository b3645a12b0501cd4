import BundleModel

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
