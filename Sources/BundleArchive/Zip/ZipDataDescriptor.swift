import BundleModel

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
