import BundleArchive
import BundleModel

/// The records of a pax extended header (POSIX.1-2017, pax, “pax Extended Header”) that affect the following entry.
struct PaxHeader {
    /// The keys of names, which some programs would cut at a NUL.
    private static let names = ["path", "linkpath", "GNU.sparse.name"]
    /// The keys of GNU tar's sparse files, form 0.0, that occur once for each piece of data.
    private static let repeated: Set = ["GNU.sparse.offset", "GNU.sparse.numbytes"]
    /// libarchive compares each entry of an access list with all the others.
    private static let maximumAccessListByteCount = 64 << 10
    private static let maximumDigitCount = 18

    /// The size of the data that follows, if given.
    private(set) var byteCount: Int64?
    /// The pieces of a sparse file listed in the records.
    private(set) var extents = SparseExtents()
    /// The sparse file's form according to the records, major and minor; nil for forms that don't record theirs.
    private var sparseForm: (major: String?, minor: String?)?

    /// Reads the header before an entry.
    init(_ bytes: [UInt8]) throws(ArchiveError) {
        try Self.forEachRecord(of: bytes) { key, value throws(ArchiveError) in try take(key, value) }
        guard sparseForm == nil || hasMapInData else { throw .unclearTar("has the map of a sparse file") }
    }

    /// Whether the data starts with a sparse file's map: GNU tar's form 1.0, the only form that is recorded in two
    /// records.
    var hasMapInData: Bool {
        sparseForm.map { $0 == ("1", "0") } == true
    }

    private mutating func take(_ key: String, _ value: ArraySlice<UInt8>) throws(ArchiveError) {
        switch key {
        case _ where Self.names.contains(key):
            guard !value.isEmpty, !value.contains(0) else { throw Self.unclearName }
        case "size":
            byteCount = try Self.number(value)
        case "GNU.sparse.major":
            sparseForm = (String(decoding: value, as: UTF8.self), sparseForm?.minor)
        case "GNU.sparse.minor":
            sparseForm = (sparseForm?.major, String(decoding: value, as: UTF8.self))
        case "GNU.sparse.numbytes":
            try extents.add(1)
        case "GNU.sparse.map":
            // An offset, a comma and a size for each piece.
            try extents.add(value.count { $0 == UInt8(ascii: ",") } / 2 + 1)
        case "SUN.holesdata":
            try extents.add(value.count { $0 == UInt8(ascii: " ") })
        case _ where key.hasPrefix("SCHILY.acl."):
            guard value.count <= Self.maximumAccessListByteCount else { throw Self.longAccessList }
        default:
            break
        }
    }

    /// Checks a header that applies to all entries that follow: libarchive ignores it, other programs don't.
    static func checkGlobal(_ bytes: [UInt8]) throws(ArchiveError) {
        try forEachRecord(of: bytes) { key, _ throws(ArchiveError) in
            guard !names.contains(key), key != "size", !key.hasPrefix("GNU.sparse.") else {
                throw .unclearTar("has a global pax header that changes the \(key) of every entry")
            }
        }
    }

    /// A name that is empty or contains a NUL.
    static var unclearName: ArchiveError { .unclearTar("has an empty name, or a NUL in its name") }

    private static var longAccessList: ArchiveError {
        ArchiveError(
            .limitExceeded,
            "has an access list of over \(maximumAccessListByteCount >> 10) KiB",
            advice: "pack it without access lists, which a bundle doesn't need"
        )
    }

    private static func number(_ value: ArraySlice<UInt8>) throws(ArchiveError) -> Int64 {
        guard value.allSatisfy(ASCII.isDigit), (1...maximumDigitCount).contains(value.count) else {
            throw .tarWithoutSize
        }
        return value.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Calls `body` with each record: its length in decimal, a space, the key, “=”, the value, and a line feed. A key
    /// may occur only once: according to POSIX the last of several counts, but not every program follows that.
    private static func forEachRecord(
        of bytes: [UInt8],
        _ body: (_ key: String, _ value: ArraySlice<UInt8>) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        var rest = bytes[...]
        var keys: Set<String> = []
        while !rest.isEmpty {
            let digits = rest.prefix { $0 != UInt8(ascii: " ") }
            guard digits.count <= maximumDigitCount, let count = Int(String(decoding: digits, as: UTF8.self)),
                count > digits.count + 1, count <= rest.count
            else { throw broken }
            let record = rest.prefix(count).dropFirst(digits.count + 1)
            guard record.last == UInt8(ascii: "\n"), let equals = record.firstIndex(of: UInt8(ascii: "=")) else {
                throw broken
            }
            let key = String(decoding: record[..<equals], as: UTF8.self)
            guard keys.insert(key).inserted || repeated.contains(key) else {
                throw .unclearTar("has a pax header with several records for “\(Printable.text(key))”")
            }
            try body(key, record[(equals + 1)...].dropLast())
            rest = rest.dropFirst(count)
        }
    }

    private static var broken: ArchiveError {
        ArchiveError(.damaged, "has a pax header that is damaged", advice: ArchiveError.fetchAgain)
    }
}

/// The number of data pieces in the maps of one sparse file. libarchive holds all of them in memory, and reads as many
/// as the archive declares: without a limit 1 MB of tar.zst uses 600 MB.
struct SparseExtents {
    /// This many take about 1 MB in libarchive. GNU tar writes one for each extent of data between two holes.
    static let maximumCount = 10_000

    private var count = 0

    /// Counts `number` more.
    ///
    /// - Throws: ``ArchiveError`` with code `limitExceeded` when there are too many.
    mutating func add(_ number: Int) throws(ArchiveError) {
        guard number <= Self.maximumCount - count else {
            throw ArchiveError(
                .limitExceeded,
                "is a sparse file in over \(Self.maximumCount) pieces",
                advice: "pack it without its holes, in GNU tar without --sparse"
            )
        }
        count += number
    }

    /// Counts the pieces in the map before the data of a file in GNU's form 1.0: their number, a line feed, and the
    /// pieces (GNU tar's manual, “PAX Format, Version 1.0”).
    ///
    /// - Parameter block: The first block of the data.
    /// - Throws: ``ArchiveError`` with code `limitExceeded`, or `damaged` when the number is missing. libarchive skips
    ///   comments before it, other programs don't.
    mutating func add(mapIn block: [UInt8]) throws(ArchiveError) {
        let digits = block.prefix(while: ASCII.isDigit)
        guard !digits.isEmpty, digits.endIndex < block.endIndex, block[digits.endIndex] == UInt8(ascii: "\n") else {
            throw .unclearTar("has the map of a sparse file")
        }
        try add(Int(String(decoding: digits, as: UTF8.self)) ?? .max)
    }
}
