/// One entry of a ``TarFixture``. What isn't set is made to fit the contents; everything can be made to lie.
public struct TarFixtureEntry: Sendable {
    /// The name's bytes, at most 100.
    public var name: [UInt8]
    /// The bytes after the header.
    public var contents: [UInt8]
    /// What the entry is: `0` file, `1` hard link, `2` symbolic link, `3` character device, `4` block device, `5` folder,
    /// `6` FIFO, `L` GNU long name, `x` pax header, `S` GNU sparse file, …
    public var typeFlag: Character = "0"
    /// A link's target, at most 100 bytes.
    public var linkTarget = ""
    /// The size in bytes that the header gives; the number of ``contents`` unless set.
    public var declaredByteCount: Int?
    /// Whether the header's checksum is right.
    public var hasValidChecksum = true
    /// Bytes that replace the header's from an offset on, before the checksum is made.
    public var overlay: [Int: [UInt8]] = [:]

    /// Makes an honest file.
    public init(_ name: String, _ contents: [UInt8] = []) {
        self.init(name: Array(name.utf8), contents: contents)
    }

    /// Makes an honest file whose name may be no valid text.
    public init(name: [UInt8], contents: [UInt8] = []) {
        self.name = name
        self.contents = contents
    }

    /// The same entry after `change`.
    public func with(_ change: (inout TarFixtureEntry) -> Void) -> TarFixtureEntry {
        var entry = self
        change(&entry)
        return entry
    }
}
