import BundleModel

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
