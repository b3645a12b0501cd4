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
    /// The CRC-32; the right one unless set.
    public var checksum: UInt32?
    /// The compressed size in bytes; the right one unless set.
    public var compressedByteCount: UInt32?
    /// The uncompressed size in bytes; the number of ``contents`` unless set.
    public var uncompressedByteCount: UInt32?
    /// The uncompressed size in bytes in the local header alone.
    public var localUncompressedByteCount: UInt32?
    /// The Unix mode with the file's type; a regular file of mode 0644 unless set.
    public var mode: UInt32 = 0o100_644
    /// Where the central directory says that the local header is; nil for the truth.
    public var localHeaderOffset: UInt32?

    /// Makes an honest entry.
    public init(_ name: String, _ contents: [UInt8] = []) {
        self.init(name: Array(name.utf8), contents: contents)
    }

    /// Makes an honest entry whose name may be no valid text.
    public init(name: [UInt8], contents: [UInt8] = []) {
        self.name = name
        self.contents = contents
    }

    /// The same entry after `change`.
    public func with(_ change: (inout ZipFixtureEntry) -> Void) -> ZipFixtureEntry {
        var entry = self
        change(&entry)
        return entry
    }
}
