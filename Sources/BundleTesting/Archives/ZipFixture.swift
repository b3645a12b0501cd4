/// A zip archive written by hand (APPNOTE 6.3.10), which can be invalid in every way that a test needs.
package struct ZipFixture: Sendable {
    /// The entries, in order.
    package var entries: [ZipFixtureEntry]
    /// Bytes in front of the archive, which its offsets don't include.
    package var prefix: [UInt8] = []
    /// Bytes after the archive.
    package var suffix: [UInt8] = []
    /// The archive's comment.
    package var comment: [UInt8] = []
    /// The number of entries in the end record; correct by default.
    package var declaredEntryCount: UInt16?
    /// Whether the end record is in ZIP64 form, as it must be for more than 65,534 entries or 4 GiB.
    package var hasZip64EndRecord = false

    /// Makes an archive of `entries`.
    package init(_ entries: [ZipFixtureEntry]) {
        self.entries = entries
    }

    /// The archive.
    package var bytes: [UInt8] {
        var body: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            if entry.isListed {
                directory += centralRecord(of: entry, offset: entry.localHeaderOffset ?? UInt32(body.count))
            }
            if entry.isPresent { body += localHeader(of: entry) + entry.contents + entry.trailer }
        }
        return prefix + body + directory + end(directorySize: directory.count, offset: body.count) + suffix
    }

    private func localHeader(of entry: ZipFixtureEntry) -> [UInt8] {
        let name = entry.localName ?? entry.name
        let size = entry.localUncompressedByteCount ?? uncompressedByteCount(of: entry)
        var fields = sharedFields(of: entry, uncompressedByteCount: size)
        if !entry.hasLocalNumbers { fields = fields.prefix(4) + [UInt8](repeating: 0, count: 12) }
        return Array("PK\u{3}\u{4}".utf8) + little(20 as UInt16) + little(entry.localFlags ?? entry.flags)
            + little(entry.localMethod ?? entry.method) + fields + little(UInt16(name.count))
            + little(UInt16(entry.extraFields.count)) + name + entry.extraFields
    }

    private func centralRecord(of entry: ZipFixtureEntry, offset: UInt32) -> [UInt8] {
        let versions: [UInt8] = [20, entry.host, 20, 0]
        let noCommentDiskAttributes = [UInt8](repeating: 0, count: 6)
        return Array("PK\u{1}\u{2}".utf8) + versions + little(entry.flags) + little(entry.method)
            + sharedFields(of: entry, uncompressedByteCount: uncompressedByteCount(of: entry))
            + little(UInt16(entry.name.count)) + little(UInt16(entry.extraFields.count)) + noCommentDiskAttributes
            + little(entry.mode << 16) + little(offset) + entry.name + entry.extraFields
    }

    /// Time, date (1980-01-01), checksum and sizes.
    private func sharedFields(of entry: ZipFixtureEntry, uncompressedByteCount: UInt32) -> [UInt8] {
        little(0 as UInt16) + little(0x21 as UInt16) + little(entry.checksum ?? Checksum.crc32(of: entry.contents))
            + little(entry.compressedByteCount ?? UInt32(entry.contents.count)) + little(uncompressedByteCount)
    }

    private func uncompressedByteCount(of entry: ZipFixtureEntry) -> UInt32 {
        entry.uncompressedByteCount ?? UInt32(entry.contents.count)
    }

    private func end(directorySize: Int, offset: Int) -> [UInt8] {
        let count = declaredEntryCount ?? UInt16(entries.count(where: \.isListed))
        guard hasZip64EndRecord else {
            return endRecord(count: count, directorySize: UInt32(directorySize), offset: UInt32(offset))
        }
        return zip64EndRecord(count: count, directorySize: directorySize, offset: offset)
            + endRecord(count: .max, directorySize: .max, offset: .max)
    }

    private func endRecord(count: UInt16, directorySize: UInt32, offset: UInt32) -> [UInt8] {
        Array("PK\u{5}\u{6}".utf8) + little(0 as UInt32) + little(count) + little(count)
            + little(directorySize) + little(offset) + little(UInt16(comment.count)) + comment
    }

    /// The record and its locator (sections 4.3.14 and 4.3.15).
    private func zip64EndRecord(count: UInt16, directorySize: Int, offset: Int) -> [UInt8] {
        let record =
            Array("PK\u{6}\u{6}".utf8) + little(44 as UInt64) + little(45 as UInt32) + little(0 as UInt64)
            + little(UInt64(count)) + little(UInt64(count)) + little(UInt64(directorySize)) + little(UInt64(offset))
        let locator =
            Array("PK\u{6}\u{7}".utf8) + little(0 as UInt32) + little(UInt64(offset + directorySize))
            + little(1 as UInt32)
        return record + locator
    }
}

private func little(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian, Array.init)
}
