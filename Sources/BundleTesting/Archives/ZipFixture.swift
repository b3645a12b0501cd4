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

/// One entry of a ``ZipFixture``. Properties that aren't set are derived from the contents; every property can be set
/// to a wrong value.
package struct ZipFixtureEntry: Sendable {
    /// The name's bytes in the central directory.
    package var name: [UInt8]
    /// The name's bytes in the local header; by default the same as ``name``.
    package var localName: [UInt8]?
    /// The bytes that are stored, already compressed when ``method`` isn't 0.
    package var contents: [UInt8]
    /// The compression method: 0 stored, 8 deflated.
    package var method: UInt16 = 0
    /// The general purpose bit flags; by default bit 11, “the name is UTF-8”.
    package var flags: UInt16 = 0x800
    /// The flags in the local header alone.
    package var localFlags: UInt16?
    /// The system that ``mode`` belongs to; by default 3, Unix.
    package var host: UInt8 = 3
    /// The CRC-32; correct by default.
    package var checksum: UInt32?
    /// The compressed size in bytes; correct by default.
    package var compressedByteCount: UInt32?
    /// The uncompressed size in bytes; by default the number of ``contents``.
    package var uncompressedByteCount: UInt32?
    /// The uncompressed size in bytes in the local header alone.
    package var localUncompressedByteCount: UInt32?
    /// The compression method in the local header alone.
    package var localMethod: UInt16?
    /// Whether the local header has the CRC and the sizes; otherwise they are zero, as before a data descriptor.
    package var hasLocalNumbers = true
    /// The extra fields, in both headers.
    package var extraFields: [UInt8] = []
    /// Bytes after the data, in the place of a data descriptor.
    package var trailer: [UInt8] = []
    /// The Unix mode with the file's type; by default a regular file of mode 0644.
    package var mode: UInt32 = 0o100_644
    /// The offset of the local header in the central directory; nil for the correct one.
    package var localHeaderOffset: UInt32?
    /// Whether the central directory lists the entry.
    package var isListed = true
    /// Whether the entry's own header and data exist.
    package var isPresent = true

    /// Makes a valid entry.
    package init(_ name: String, _ contents: [UInt8] = []) {
        self.init(name: Array(name.utf8), contents: contents)
    }

    /// Makes a valid entry whose name may not be valid text.
    package init(name: [UInt8], contents: [UInt8] = []) {
        self.name = name
        self.contents = contents
    }

    /// Makes a valid entry under deflate (RFC 1951, section 3.2.4: in one block without compression).
    ///
    /// - Parameter contents: At most 65,535 bytes.
    package static func deflated(_ name: String, _ contents: [UInt8]) -> ZipFixtureEntry {
        let count = UInt16(contents.count)
        let (low, high) = (UInt8(truncatingIfNeeded: count), UInt8(count >> 8))
        return ZipFixtureEntry(name, [1, low, high, ~low, ~high] + contents).with { entry in
            entry.method = 8
            entry.checksum = Checksum.crc32(of: contents)
            entry.uncompressedByteCount = UInt32(count)
        }
    }

    /// The same entry after `change`.
    package func with(_ change: (inout ZipFixtureEntry) -> Void) -> ZipFixtureEntry {
        var entry = self
        change(&entry)
        return entry
    }
}
