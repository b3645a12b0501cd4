/// A ustar archive written by hand (POSIX.1-2017, pax, “ustar Interchange Format”), which can be invalid in every way
/// that a test needs.
package struct TarFixture: Sendable {
    /// The entries, in order.
    package var entries: [TarFixtureEntry]
    /// The number of zero blocks at the end; two in a proper archive.
    package var endBlockCount = 2
    /// Bytes after the end.
    package var suffix: [UInt8] = []

    private static let blockByteCount = 512

    /// Makes an archive of `entries`.
    package init(_ entries: [TarFixtureEntry]) {
        self.entries = entries
    }

    /// The archive.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for entry in entries {
            bytes += header(of: entry)
            bytes += padded(entry.contents)
        }
        return bytes + [UInt8](repeating: 0, count: endBlockCount * Self.blockByteCount) + suffix
    }

    private func header(of entry: TarFixtureEntry) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: Self.blockByteCount)
        func put(_ bytes: some Collection<UInt8>, at offset: Int) {
            header.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }
        put(entry.name.prefix(100), at: 0)
        put(octal(0o644, digits: 7), at: 100)
        put(octal(0, digits: 7), at: 108)
        put(octal(0, digits: 7), at: 116)
        put(octal(entry.declaredByteCount ?? entry.contents.count, digits: 11), at: 124)
        put(octal(0, digits: 11), at: 136)
        put(entry.typeFlag.utf8, at: 156)
        put(entry.linkTarget.utf8.prefix(100), at: 157)
        put(Array("ustar\u{0}00".utf8), at: 257)
        for (offset, bytes) in entry.overlay { put(bytes, at: offset) }
        put(Array(repeating: 0x20, count: 8), at: 148)
        let sum = header.reduce(entry.hasValidChecksum ? 0 : 1) { $0 + Int($1) }
        put(octal(sum, digits: 6) + [0], at: 148)
        return header
    }

    private func octal(_ number: Int, digits: Int) -> [UInt8] {
        let text = String(number, radix: 8)
        return Array((String(repeating: "0", count: max(0, digits - text.count)) + text).utf8)
    }

    private func padded(_ contents: [UInt8]) -> [UInt8] {
        let rest = contents.count % Self.blockByteCount
        return rest == 0 ? contents : contents + [UInt8](repeating: 0, count: Self.blockByteCount - rest)
    }
}

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

extension TarFixtureEntry {
    /// A pax extended header with these records, in order (POSIX.1-2017, pax, “pax Header Block”): each starts with its
    /// own length.
    ///
    /// - Parameter typeFlag: `x` for the entry that follows, `g` for all that follow.
    package static func pax(_ records: [(key: String, value: String)], _ typeFlag: Character = "x") -> TarFixtureEntry {
        let text = records.map { key, value in
            let rest = " \(key)=\(value)\n"
            let count = rest.utf8.count
            var length = count + 1
            while length != count + String(length).utf8.count { length = count + String(length).utf8.count }
            return "\(length)\(rest)"
        }
        return TarFixtureEntry("pax", Array(text.joined().utf8)).with { $0.typeFlag = typeFlag }
    }
}

/// A sparse file in a tar, in each of the known forms (GNU tar's manual, “Storing Sparse Files”): all of its extents
/// are empty, so only their number matters.
package enum SparseFixture: CaseIterable, Sendable {
    /// In the header, and in blocks after it.
    case gnu
    /// In a pax header, with two records for each extent.
    case pax00
    /// In one record of a pax header.
    case pax01
    /// Before the data.
    case pax10
    /// In one record of a pax header, as in Solaris.
    case solaris

    private static let piecesPerBlock = 21

    /// The entries of a file `sparse.bin` with `pieceCount` extents; GNU's form rounds that down to whole blocks.
    package func entries(pieceCount: Int) -> [TarFixtureEntry] {
        let file = TarFixtureEntry("sparse.bin")
        switch self {
        case .gnu:
            return [gnuEntry(blockCount: pieceCount / Self.piecesPerBlock)]
        case .pax00:
            let records = [("GNU.sparse.offset", "0"), ("GNU.sparse.numbytes", "0")]
            return [.pax([("GNU.sparse.size", "0")] + repeatElement(records, count: pieceCount).joined()), file]
        case .pax01:
            let map = repeatElement("0,0", count: pieceCount).joined(separator: ",")
            return [.pax([("GNU.sparse.size", "0"), ("GNU.sparse.map", map)]), file]
        case .pax10:
            let records = [("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"), ("GNU.sparse.realsize", "0")]
            let map = Array(("\(pieceCount)\n" + String(repeating: "0\n0\n", count: pieceCount)).utf8)
            let padding = [UInt8](repeating: 0, count: 512 - map.count % 512)
            return [.pax(records), TarFixtureEntry("sparse.bin", map + padding)]
        case .solaris:
            return [.pax([("SUN.holesdata", (0..<pieceCount).map { " \($0)" }.joined())]), file]
        }
    }

    private func gnuEntry(blockCount: Int) -> TarFixtureEntry {
        let piece = Array("00000000000\u{0}00000000000\u{0}".utf8)
        let pieces = Array(repeatElement(piece, count: Self.piecesPerBlock).joined())
        let padding = [UInt8](repeating: 0, count: 7)
        // Appended, not joined: byte by byte tens of megabytes take seconds in a debug build.
        var blocks: [UInt8] = []
        blocks.reserveCapacity(blockCount * 512)
        for number in 1...blockCount {
            blocks += pieces
            blocks.append(number < blockCount ? 1 : 0)
            blocks += padding
        }
        return TarFixtureEntry("sparse.bin", blocks).with { entry in
            entry.typeFlag = "S"
            entry.declaredByteCount = 0
            entry.overlay = [257: Array("ustar  \u{0}".utf8), 386: piece, 482: [1], 483: Array("00000000000".utf8)]
        }
    }
}
