/// One entry of a ``ZipFixture``. What isn't set is made to fit the contents; everything can be made to lie.
public struct ZipFixtureEntry: Sendable {
    /// The name's bytes in the central directory.
    public var name: [UInt8]
    /// The name's bytes in the local header; the same as ``name`` unless set.
    public var localName: [UInt8]?
    /// The bytes that are stored, already compressed when ``method`` isn't 0.
    public var contents: [UInt8]
    /// The compression method: 0 stored, 8 deflated.
    public var method: UInt16 = 0
    /// The general purpose bit flags; bit 11, “the name is UTF-8”, unless set.
    public var flags: UInt16 = 0x800
    /// The flags in the local header alone.
    public var localFlags: UInt16?
    /// The system that ``mode`` is of: 3, which is Unix, unless set.
    public var host: UInt8 = 3
    /// The CRC-32; the right one unless set.
    public var checksum: UInt32?
    /// The compressed size in bytes; the right one unless set.
    public var compressedByteCount: UInt32?
    /// The uncompressed size in bytes; the number of ``contents`` unless set.
    public var uncompressedByteCount: UInt32?
    /// The uncompressed size in bytes in the local header alone.
    public var localUncompressedByteCount: UInt32?
    /// The compression method in the local header alone.
    public var localMethod: UInt16?
    /// Whether the local header gives CRC and sizes; zeros stand there otherwise, as in front of a data descriptor.
    public var hasLocalNumbers = true
    /// The extra fields, in both headers.
    public var extraFields: [UInt8] = []
    /// Bytes after the data, where a data descriptor stands.
    public var trailer: [UInt8] = []
    /// The Unix mode with the file's type; a regular file of mode 0644 unless set.
    public var mode: UInt32 = 0o100_644
    /// Where the central directory says that the local header is; nil for the truth.
    public var localHeaderOffset: UInt32?
    /// Whether the central directory lists the entry.
    public var isListed = true
    /// Whether the entry's own header and data are there.
    public var isPresent = true

    /// Makes an honest entry.
    public init(_ name: String, _ contents: [UInt8] = []) {
        self.init(name: Array(name.utf8), contents: contents)
    }

    /// Makes an honest entry whose name may be no valid text.
    public init(name: [UInt8], contents: [UInt8] = []) {
        self.name = name
        self.contents = contents
    }

    /// Makes an honest entry under deflate (RFC 1951, section 3.2.4: in one block without compression).
    ///
    /// - Parameter contents: At most 65,535 bytes.
    public static func deflated(_ name: String, _ contents: [UInt8]) -> ZipFixtureEntry {
        let count = UInt16(contents.count)
        let (low, high) = (UInt8(truncatingIfNeeded: count), UInt8(count >> 8))
        return ZipFixtureEntry(name, [1, low, high, ~low, ~high] + contents).with { entry in
            entry.method = 8
            entry.checksum = Checksum.crc32(of: contents)
            entry.uncompressedByteCount = UInt32(count)
        }
    }

    /// The same entry after `change`.
    public func with(_ change: (inout ZipFixtureEntry) -> Void) -> ZipFixtureEntry {
        var entry = self
        change(&entry)
        return entry
    }
}
