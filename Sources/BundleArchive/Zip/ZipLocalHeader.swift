import BundleModel

/// The header before an entry's data (APPNOTE 6.3.10, section 4.3.7). Its name and extra fields are views of the buffer
/// that it was read from.
struct ZipLocalHeader {
    private static let signature: UInt32 = 0x0403_4B50
    private static let fixedByteCount = 30
    private static let usualExtraByteCount = 64

    let name: UnsafeRawBufferPointer
    let flags: ZipFlags
    let method: UInt16
    let checksum: UInt32
    let compressedByteCount: Int64
    let uncompressedByteCount: Int64
    let extraFields: ZipExtraFields
    /// The number of bytes of the header.
    let byteCount: Int

    /// A length that few headers exceed.
    static func usualByteCount(nameByteCount: Int) -> Int {
        fixedByteCount + nameByteCount + usualExtraByteCount
    }

    /// Reads the header at `offset`.
    init(at offset: Int64, in window: FileWindow) throws(ArchiveError) {
        let start = try window.bytes(at: offset, count: Self.fixedByteCount)
        guard start.littleEndian(UInt32.self, at: 0) == Self.signature,
            let nameByteCount = start.littleEndian(UInt16.self, at: 26),
            let extraByteCount = start.littleEndian(UInt16.self, at: 28)
        else { throw Self.misplaced }
        byteCount = Self.fixedByteCount + Int(nameByteCount) + Int(extraByteCount)
        let bytes = try window.bytes(at: offset, count: byteCount)
        guard bytes.count == byteCount,
            let flags = bytes.littleEndian(UInt16.self, at: 6),
            let method = bytes.littleEndian(UInt16.self, at: 8),
            let checksum = bytes.littleEndian(UInt32.self, at: 14),
            let compressedByteCount = bytes.littleEndian(UInt32.self, at: 18),
            let uncompressedByteCount = bytes.littleEndian(UInt32.self, at: 22)
        else { throw Self.misplaced }
        name = bytes.part(from: Self.fixedByteCount, count: Int(nameByteCount))
        extraFields = try ZipExtraFields(
            bytes.part(from: Self.fixedByteCount + Int(nameByteCount), count: Int(extraByteCount))
        )
        self.flags = ZipFlags(rawValue: flags)
        self.method = method
        self.checksum = checksum
        let saturatedCount = [compressedByteCount, uncompressedByteCount].count { $0 == .max }
        var wide = try Zip64Field(extraFields.zip64, saturatedByteCount: saturatedCount * 8)
        self.uncompressedByteCount = try wide.value(widening: uncompressedByteCount)
        self.compressedByteCount = try wide.value(widening: compressedByteCount)
        try wide.checkEnd()
    }

    /// Throws unless the header describes the same entry as the directory. Otherwise programs that use the header would
    /// see another archive than those that use the directory.
    func checkAgrees(with record: ZipDirectoryRecord) throws(ArchiveError) {
        try flags.checkSupported()
        guard name.hasSameBytes(as: record.name) else { throw Self.contradiction("name") }
        guard method == record.method else { throw Self.contradiction("compression method") }
        let isMarkedDifferently = flags.contains(.utf8) != record.flags.contains(.utf8)
        guard !isMarkedDifferently || name.allSatisfy({ $0 < 0x80 }) else {
            throw Self.contradiction("name's encoding")
        }
        // With a data descriptor the numbers follow the data and may be missing here.
        let mayBeZero = flags.contains(.dataDescriptor)
        guard checksum == record.checksum || mayBeZero && checksum == 0 else { throw Self.contradiction("CRC") }
        guard compressedByteCount == record.compressedByteCount || mayBeZero && compressedByteCount == 0,
            uncompressedByteCount == record.uncompressedByteCount || mayBeZero && uncompressedByteCount == 0
        else { throw Self.contradiction("size") }
    }

    private static func contradiction(_ property: String) -> ArchiveError {
        .damagedZip("has one \(property) in the archive's list and another in its own header")
    }

    private static var misplaced: ArchiveError {
        .damagedZip("isn't where the archive's list says")
    }
}

/// The checksum and sizes that follow an entry's data when its header doesn't have them (APPNOTE 6.3.10, section
/// 4.3.9). There are four layouts, with or without a signature and with numbers of 32 or 64 bits, and no field says
/// which one is used.
struct ZipDataDescriptor {
    private static let signature: UInt32 = 0x0807_4B50
    private static let maximumByteCount = 24

    private let checksum: UInt32
    private let compressedByteCount: UInt64
    private let uncompressedByteCount: UInt64

    /// The descriptor that must match `record`.
    init(of record: ZipDirectoryRecord) {
        checksum = record.checksum
        compressedByteCount = UInt64(record.compressedByteCount)
        uncompressedByteCount = UInt64(record.uncompressedByteCount)
    }

    /// The length in bytes of the descriptor at `offset`.
    ///
    /// - Parameter isWide: Whether the entry's header has a ZIP64 field, so that 64 bits are expected (section
    ///   4.3.9.2); not every program follows that.
    /// - Throws: `damaged` unless a descriptor in one of the four layouts is there and agrees with the directory.
    func byteCount(at offset: Int64, in window: FileWindow, isWide: Bool) throws(ArchiveError) -> Int {
        let bytes = try window.bytes(at: offset, count: Self.maximumByteCount)
        let layouts = [(4, isWide), (0, isWide), (4, !isWide), (0, !isWide)]
        for (start, isWide) in layouts where matches(bytes, from: start, isWide: isWide) {
            return start + (isWide ? 20 : 12)
        }
        throw .damagedZip("has one size or CRC in the archive's list and another after its data")
    }

    private func matches(_ bytes: UnsafeRawBufferPointer, from start: Int, isWide: Bool) -> Bool {
        guard start == 0 || bytes.littleEndian(UInt32.self, at: 0) == Self.signature,
            bytes.littleEndian(UInt32.self, at: start) == checksum
        else { return false }
        if isWide {
            return bytes.littleEndian(UInt64.self, at: start + 4) == compressedByteCount
                && bytes.littleEndian(UInt64.self, at: start + 12) == uncompressedByteCount
        }
        return bytes.littleEndian(UInt32.self, at: start + 4).map(UInt64.init) == compressedByteCount
            && bytes.littleEndian(UInt32.self, at: start + 8).map(UInt64.init) == uncompressedByteCount
    }
}
