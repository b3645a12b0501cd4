/// A zip's list of entries, compared with the entries themselves. libarchive trusts the header in front of each entry,
/// other programs the list; an archive in which the two differ, or in which entries share bytes, means one thing to the
/// one and another to the other.
struct ZipDirectory {
    private static let localHeaderByteCount = 30
    private static let localHeaderSignature: [UInt8] = [0x50, 0x4B, 3, 4]
    private static let maximumByteCount: Int64 = 256 << 20

    private let file: ArchiveFile
    private let end: ZipEndRecord
    private let budget: ReadBudget

    /// - Parameter end: The file's end record.
    init(of file: ArchiveFile, end: ZipEndRecord, budget: ReadBudget) {
        self.file = file
        self.end = end
        self.budget = budget
    }

    /// Checks every entry.
    func check() throws(ArchiveError) {
        try budget.checkEntryCount(end.entryCount)
        guard end.directoryByteCount <= Self.maximumByteCount else {
            throw Self.damaged("has a list of entries of over \(Self.maximumByteCount) bytes")
        }
        var rest = try file.bytes(at: end.directoryOffset, count: Int(end.directoryByteCount))[...]
        var extents: [Range<Int64>] = []
        while !rest.isEmpty {
            guard let entry = ZipDirectoryEntry(rest) else { throw Self.damaged("has a broken list of entries") }
            rest = rest.dropFirst(entry.byteCount)
            extents.append(try locatedExtent(of: entry))
        }
        guard Int64(extents.count) == end.entryCount else {
            throw Self.damaged("lists \(extents.count) entries but says that there are \(end.entryCount)")
        }
        try Self.checkDisjoint(extents)
    }

    private func locatedExtent(of entry: ZipDirectoryEntry) throws(ArchiveError) -> Range<Int64> {
        do throws(ArchiveError) {
            try budget.checkName(byteCount: entry.name.count)
            guard !entry.name.contains(0) else { throw Self.damaged("has a name with a NUL byte") }
            // APPNOTE section 4.4.17.1 wants “/”. libarchive would silently turn the one into the other.
            guard !entry.name.contains(UInt8(ascii: "\\")) else {
                throw ArchiveError(
                    .damaged,
                    "has a backslash in its name",
                    advice: "repack it with “/” between folders"
                )
            }
            guard String(validating: entry.name, as: UTF8.self) != nil else { throw .nameNotUTF8 }
            guard entry.flags & 0x41 == 0 else { throw .encrypted }
            return try extent(of: entry)
        } catch {
            throw error.concerning(String(decoding: entry.name, as: UTF8.self))
        }
    }

    /// The bytes that the entry and its own header take, once the header has been found to agree.
    private func extent(of entry: ZipDirectoryEntry) throws(ArchiveError) -> Range<Int64> {
        let start = Int64(clamping: entry.localHeaderOffset)
        guard start < end.directoryOffset else { throw Self.damaged("lies outside of the archive") }
        let header = try file.bytes(at: start, count: Self.localHeaderByteCount + entry.name.count)
        guard header.starts(with: Self.localHeaderSignature), let flags = header.littleEndian(UInt16.self, at: 6),
            let method = header.littleEndian(UInt16.self, at: 8),
            let nameByteCount = header.littleEndian(UInt16.self, at: 26),
            let extraByteCount = header.littleEndian(UInt16.self, at: 28)
        else { throw Self.damaged("isn't where the archive's list says") }
        guard flags & 0x41 == 0 else { throw .encrypted }
        guard Int(nameByteCount) == entry.name.count, header.dropFirst(Self.localHeaderByteCount) == entry.name,
            method == entry.method
        else { throw Self.damaged("is described differently by the archive's list and by its own header") }
        let dataStart = start + Int64(Self.localHeaderByteCount) + Int64(nameByteCount) + Int64(extraByteCount)
        let (dataEnd, overflow) = dataStart.addingReportingOverflow(Int64(clamping: entry.compressedByteCount))
        guard !overflow, dataEnd <= end.directoryOffset else { throw Self.damaged("reaches beyond the archive's end") }
        return start..<dataEnd
    }

    private static func checkDisjoint(_ extents: [Range<Int64>]) throws(ArchiveError) {
        let sorted = extents.sorted { $0.lowerBound < $1.lowerBound }
        for (extent, next) in zip(sorted, sorted.dropFirst()) where next.lowerBound < extent.upperBound {
            throw damaged("has entries that share bytes, as a decompression bomb does")
        }
    }

    private static func damaged(_ problem: String) -> ArchiveError {
        ArchiveError(.damaged, problem, advice: ArchiveError.fetchAgain)
    }
}
