/// One entry of a ``TarFixture``. Properties that aren't set are derived from the contents; every property can be set
/// to a wrong value.
package struct TarFixtureEntry: Sendable {
    /// The name's bytes, at most 100.
    package var name: [UInt8]
    /// The bytes after the header.
    package var contents: [UInt8]
    /// The kind of the entry: `0` file, `1` hard link, `2` symbolic link, `3` character device, `4` block device, `5`
    /// folder, `6` FIFO, `L` GNU long name, `x` pax header, `S` GNU sparse file, …
    package var typeFlag: Character = "0"
    /// A link's target, at most 100 bytes.
    package var linkTarget = ""
    /// The size in bytes in the header; by default the number of ``contents``.
    package var declaredByteCount: Int?
    /// Whether the header's checksum is right.
    package var hasValidChecksum = true
    /// Bytes that replace the header's from an offset on, before the checksum is computed.
    package var overlay: [Int: [UInt8]] = [:]

    /// Makes a valid file.
    package init(_ name: String, _ contents: [UInt8] = []) {
        self.init(name: Array(name.utf8), contents: contents)
    }

    /// Makes a valid file whose name may not be valid text.
    package init(name: [UInt8], contents: [UInt8] = []) {
        self.name = name
        self.contents = contents
    }

    /// The same entry after `change`.
    package func with(_ change: (inout TarFixtureEntry) -> Void) -> TarFixtureEntry {
        var entry = self
        change(&entry)
        return entry
    }
}
