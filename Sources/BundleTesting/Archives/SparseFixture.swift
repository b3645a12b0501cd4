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
