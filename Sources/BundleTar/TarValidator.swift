import BundleArchive

/// Validates each header of a tar archive on its way to libarchive, which guesses where a header is ambiguous: every
/// accepted header has one meaning. Uses constant memory.
struct TarValidator {
    /// The meaning of the next bytes.
    private enum Part {
        case header
        /// A block that continues the map of a sparse file, whose data follows it.
        case sparseMap(dataByteCount: Int64)
        /// The first block of a sparse file's data, which starts with the file's map.
        case sparseData(byteCount: Int64)
        /// The payload of a header that applies to the entry that follows.
        case payload(typeFlag: UInt8, byteCount: Int)
        /// The zeros after the last entry.
        case end
    }

    /// The same limit as libarchive's.
    private static let maximumPayloadByteCount: Int64 = 1 << 20
    private static let blockByteCount = Int64(TarHeader.byteCount)

    /// The names from entry headers that haven't been taken yet, if names are kept.
    private var names: [String] = []
    private let keepsNames: Bool
    private var next = Part.header
    /// The bytes of the next part so far, and their total number.
    private var collected: [UInt8] = []
    private var wantedByteCount = TarHeader.byteCount
    /// The number of bytes to skip before the next part.
    private var skippedByteCount: Int64 = 0
    private var endByteCount: Int64 = 0
    private var hasEntry = false
    /// The type flags of the headers that apply to the next entry, and the size that they give for it.
    private var extensions: [UInt8] = []
    private var extendedByteCount: Int64?
    private var hasMapInData = false
    /// The pieces in the maps of the current or the next entry.
    private var extents = SparseExtents()

    /// - Parameter keepsNames: Whether ``takeName()`` will be called for each entry.
    init(keepsNames: Bool) {
        self.keepsNames = keepsNames
    }

    /// The name in the header of the next entry, for errors: libarchive has none when it can't convert the name.
    mutating func takeName() -> String? {
        names.isEmpty ? nil : names.removeFirst()
    }

    /// Checks the archive's next bytes.
    ///
    /// - Throws: ``ArchiveError`` with code `notAnArchive` when the first header isn't one; `damaged` for a header that
    ///   is wrong, or that programs read differently, and for data after the end; `unsupportedFormat` for an entry that
    ///   isn't a file, folder or link.
    mutating func check(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if skippedByteCount > 0 {
                let count = min(skippedByteCount, Int64(rest.count))
                skippedByteCount -= count
                rest = rest.dropFirst(Int(count))
            } else if case .end = next {
                guard rest.allSatisfy({ $0 == 0 }) else {
                    throw ArchiveError(.damaged, "has data after its last entry", advice: ArchiveError.fetchAgain)
                }
                endByteCount += Int64(rest.count)
                return
            } else {
                let count = min(wantedByteCount - collected.count, rest.count)
                collected += rest.prefix(count)
                rest = rest.dropFirst(count)
                if collected.count == wantedByteCount { try takePart() }
            }
        }
    }

    /// Checks that the archive may end here. POSIX ends it with two zero blocks: without them it was truncated.
    func checkEnd() throws(ArchiveError) {
        if case .end = next {
            guard endByteCount >= 2 * Self.blockByteCount else { throw .tarWithoutEnd }
        } else {
            throw collected.isEmpty && skippedByteCount == 0 ? .tarWithoutEnd : .endsTooEarly
        }
    }

    private mutating func takePart() throws(ArchiveError) {
        let bytes = collected
        collected = []
        switch next {
        case .header where bytes.allSatisfy({ $0 == 0 }):
            next = .end
            endByteCount = Self.blockByteCount
        case .header:
            guard let header = TarHeader(bytes) else { throw hasEntry ? Self.wrongChecksum : .notTar(compressed: true) }
            hasEntry = true
            do throws(ArchiveError) {
                try take(header)
            } catch {
                throw error.concerning(header.displayName)
            }
        case .sparseMap(let dataByteCount):
            try extents.add(TarHeader.sparseExtentsPerBlock)
            expectData(dataByteCount, mapContinues: TarHeader.sparseMapContinues(behind: bytes))
        case .sparseData(let byteCount):
            try extents.add(mapIn: bytes)
            expectHeader()
            skippedByteCount = Self.rounded(byteCount) - Self.blockByteCount
        case .payload(let typeFlag, let byteCount):
            expectHeader()
            try takePayload(Array(bytes.prefix(byteCount)), typeFlag)
        case .end:
            break
        }
    }

    private mutating func take(_ header: TarHeader) throws(ArchiveError) {
        guard header.hasClearForm else { throw .unclearTar("has a header") }
        switch Character(UnicodeScalar(header.typeFlag)) {
        case "x", "g", "L", "K":
            try checkMayPrecede(header.typeFlag)
            try expectPayload(header.typeFlag, byteCount: header.declaredByteCount())
        case "0", "\u{0}", "7":
            guard !header.hasSparseMap else { throw Self.unclearSparseMap }
            let hasMapInData = hasMapInData
            let byteCount = try dataByteCount(header)
            if hasMapInData { try expectSparseData(byteCount) } else { expectData(byteCount, mapContinues: false) }
        case "S":
            guard header.hasSoundSparseMap, !hasMapInData else { throw Self.unclearSparseMap }
            expectData(try dataByteCount(header), mapContinues: header.sparseMapContinues)
        case "1"..."6":
            guard !hasMapInData else { throw Self.unclearSparseMap }
            guard try dataByteCount(header) == 0 else { throw .unclearTar("isn't a file but has data") }
        default:
            throw ArchiveError(
                .unsupportedFormat,
                "is a special file of unknown type, not a file",
                advice: "pack the archive without it"
            )
        }
    }

    /// Two headers with the same field for an entry, or a global one between them and the entry: which one counts
    /// depends on the program.
    private mutating func checkMayPrecede(_ typeFlag: UInt8) throws(ArchiveError) {
        let isLongName = typeFlag == UInt8(ascii: "L") || typeFlag == UInt8(ascii: "K")
        guard
            extensions.isEmpty
                || isLongName && !extensions.contains(typeFlag) && !extensions.contains(UInt8(ascii: "x"))
        else { throw .unclearTar("has several headers for one entry") }
        if typeFlag != UInt8(ascii: "g") { extensions.append(typeFlag) }
    }

    private mutating func takePayload(_ payload: [UInt8], _ typeFlag: UInt8) throws(ArchiveError) {
        switch typeFlag {
        case UInt8(ascii: "x"):
            let header = try PaxHeader(payload)
            extendedByteCount = header.byteCount
            hasMapInData = header.hasMapInData
            extents = header.extents
        case UInt8(ascii: "g"):
            try PaxHeader.checkGlobal(payload)
        default:
            let name = payload.prefix { $0 != 0 }
            guard !name.isEmpty, payload.dropFirst(name.count).allSatisfy({ $0 == 0 }) else {
                throw PaxHeader.unclearName.concerning(String(decoding: name, as: UTF8.self))
            }
        }
    }

    /// The size of an entry's data. Consumes the headers before it, which may give the size.
    private mutating func dataByteCount(_ header: TarHeader) throws(ArchiveError) -> Int64 {
        defer {
            if !extensions.contains(UInt8(ascii: "x")) { extents = SparseExtents() }
            extensions = []
            extendedByteCount = nil
            hasMapInData = false
        }
        if keepsNames { names.append(header.displayName) }
        let declared = try header.declaredByteCount()
        return extendedByteCount ?? declared
    }

    private mutating func expectHeader() {
        next = .header
        wantedByteCount = TarHeader.byteCount
    }

    private mutating func expectPayload(_ typeFlag: UInt8, byteCount: Int64) throws(ArchiveError) {
        guard byteCount <= Self.maximumPayloadByteCount else { throw .unclearTar("has a header of over 1 MiB") }
        guard byteCount > 0 else { return try takePayload([], typeFlag) }
        next = .payload(typeFlag: typeFlag, byteCount: Int(byteCount))
        wantedByteCount = Int(Self.rounded(byteCount))
    }

    private mutating func expectData(_ byteCount: Int64, mapContinues: Bool) {
        expectHeader()
        if mapContinues {
            next = .sparseMap(dataByteCount: byteCount)
        } else {
            skippedByteCount = Self.rounded(byteCount)
        }
    }

    private mutating func expectSparseData(_ byteCount: Int64) throws(ArchiveError) {
        guard byteCount > 0 else { throw Self.unclearSparseMap }
        next = .sparseData(byteCount: byteCount)
        wantedByteCount = TarHeader.byteCount
    }

    /// `byteCount` rounded up to whole blocks.
    private static func rounded(_ byteCount: Int64) -> Int64 {
        let (sum, overflow) = byteCount.addingReportingOverflow(blockByteCount - 1)
        return overflow ? .max : sum / blockByteCount * blockByteCount
    }

    private static var unclearSparseMap: ArchiveError { .unclearTar("has the map of a sparse file") }

    private static var wrongChecksum: ArchiveError {
        ArchiveError(.damaged, "is damaged (a header's checksum doesn't match)", advice: ArchiveError.fetchAgain)
    }
}

extension ArchiveError {
    /// The data, or the content of its compression layer, isn't tar.
    static func notTar(compressed isCompressed: Bool) -> ArchiveError {
        ArchiveError(
            .notAnArchive,
            "contains no tar archive\(isCompressed ? " under its compression" : "")",
            advice: "give a zip or tar archive"
        )
    }

    /// A tar that programs read differently.
    static func unclearTar(_ problem: String) -> ArchiveError {
        ArchiveError(
            .damaged,
            "\(problem), which programs read differently",
            advice: "pack it again with another program"
        )
    }

    /// A tar that was truncated between two entries.
    static var tarWithoutEnd: ArchiveError {
        ArchiveError(.truncated, "ends without its end mark", advice: fetchAgain)
    }
}
