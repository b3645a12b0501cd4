import BundleModel

/// One record of a zip's central directory (APPNOTE 6.3.10, section 4.3.12). Its name and extra fields are views of the
/// buffer that it was read from.
struct ZipDirectoryRecord {
    static let fixedByteCount = 46
    private static let signature: UInt32 = 0x0201_4B50

    /// The name's bytes.
    let name: UnsafeRawBufferPointer
    let flags: ZipFlags
    let method: UInt16
    let checksum: UInt32
    /// The length of the entry's data in the archive.
    let compressedByteCount: Int64
    /// The length of the file.
    let uncompressedByteCount: Int64
    /// The offset of the entry's local header.
    let localHeaderOffset: Int64
    let attributes: ZipAttributes
    /// Whether it was made on MS-DOS or Windows (section 4.4.2: FAT, NTFS, VFAT).
    let isFromWindows: Bool
    let extraFields: ZipExtraFields

    /// The size of the record that starts with `bytes`, or nil when there is none or its fixed part is incomplete.
    static func byteCount(of bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.littleEndian(UInt32.self, at: 0) == signature,
            let nameByteCount = bytes.littleEndian(UInt16.self, at: 28),
            let extraByteCount = bytes.littleEndian(UInt16.self, at: 30),
            let commentByteCount = bytes.littleEndian(UInt16.self, at: 32),
            bytes.count >= fixedByteCount
        else { return nil }
        return fixedByteCount + Int(nameByteCount) + Int(extraByteCount) + Int(commentByteCount)
    }

    /// Reads a record from its bytes. An error names the entry.
    init(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        do throws(ArchiveError) {
            try self.init(unnamed: bytes)
        } catch {
            let nameByteCount = bytes.littleEndian(UInt16.self, at: 28) ?? 0
            let name = bytes.part(from: Self.fixedByteCount, count: Int(nameByteCount))
            throw error.concerning(String(decoding: name, as: UTF8.self))
        }
    }

    private init(unnamed bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        guard let flags = bytes.littleEndian(UInt16.self, at: 8),
            let method = bytes.littleEndian(UInt16.self, at: 10),
            let checksum = bytes.littleEndian(UInt32.self, at: 16),
            let compressedByteCount = bytes.littleEndian(UInt32.self, at: 20),
            let uncompressedByteCount = bytes.littleEndian(UInt32.self, at: 24),
            let nameByteCount = bytes.littleEndian(UInt16.self, at: 28),
            let extraByteCount = bytes.littleEndian(UInt16.self, at: 30),
            let disk = bytes.littleEndian(UInt16.self, at: 34),
            let externalAttributes = bytes.littleEndian(UInt32.self, at: 38),
            let localHeaderOffset = bytes.littleEndian(UInt32.self, at: 42)
        else { throw Self.broken }
        name = bytes.part(from: Self.fixedByteCount, count: Int(nameByteCount))
        extraFields = try ZipExtraFields(
            bytes.part(from: Self.fixedByteCount + Int(nameByteCount), count: Int(extraByteCount))
        )
        self.flags = ZipFlags(rawValue: flags)
        self.method = method
        self.checksum = checksum
        isFromWindows = [0, 10, 14].contains(bytes[5])
        attributes = ZipAttributes(host: bytes[5], external: externalAttributes)
        let saturatedCount = [compressedByteCount, uncompressedByteCount, localHeaderOffset].count { $0 == .max }
        var wide = try Zip64Field(
            extraFields.zip64,
            saturatedByteCount: saturatedCount * 8 + (disk == .max ? 4 : 0)
        )
        self.uncompressedByteCount = try wide.value(widening: uncompressedByteCount)
        self.compressedByteCount = try wide.value(widening: compressedByteCount)
        self.localHeaderOffset = try wide.value(widening: localHeaderOffset)
        try wide.checkDisk(disk)
        try wide.checkEnd()
    }

    static var broken: ArchiveError {
        .damagedZip("has a broken list of entries")
    }
}
