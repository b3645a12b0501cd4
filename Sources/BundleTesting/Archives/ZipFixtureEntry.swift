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
