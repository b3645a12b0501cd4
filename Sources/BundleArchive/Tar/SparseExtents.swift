import BundleModel

/// How many pieces of data the maps of one sparse file list. libarchive holds them all in memory, of any size, and reads as
/// many as the archive says: without a bound 1 MB of tar.zst takes 600 MB.
struct SparseExtents {
    /// They take about 1 MB there. GNU tar writes one for each stretch of data between two holes.
    static let maximumCount = 10_000

    private var count = 0

    /// Counts `number` more.
    ///
    /// - Throws: ``ArchiveError`` with code `limitExceeded` when they are too many.
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

    /// Counts what the map in front of the data of a file of GNU's form 1.0 lists: a number of pieces, a line feed, and the
    /// pieces (GNU tar's manual, “PAX Format, Version 1.0”).
    ///
    /// - Parameter block: The first block of the data.
    /// - Throws: ``ArchiveError`` with code `limitExceeded`, or `damaged` when the number isn't there. libarchive passes over
    ///   comments in front of it, and other programs don't.
    mutating func add(mapIn block: [UInt8]) throws(ArchiveError) {
        let digits = block.prefix(while: ASCII.isDigit)
        guard !digits.isEmpty, digits.endIndex < block.endIndex, block[digits.endIndex] == UInt8(ascii: "\n") else {
            throw .unclearTar("has the map of a sparse file")
        }
        try add(Int(String(decoding: digits, as: UTF8.self)) ?? .max)
    }
}
