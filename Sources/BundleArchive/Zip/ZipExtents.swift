/// Which bytes of a zip belong to which entry. They must not overlap, as in a decompression bomb, nor leave gaps, which
/// programs that ignore the directory would read.
///
/// Consecutive entries, as in nearly every zip, take no memory.
struct ZipExtents {
    private static let minimumPendingCount = 64
    /// The maximum number of separate extents. Each takes 16 bytes of memory, five times that while they are merged.
    private static let maximumCount = 100_000

    /// The consecutive entries up to the previous one.
    private var run: Range<Int64> = 0..<0
    /// Sorted, disjoint, and not adjacent.
    private var merged: [Range<Int64>] = []
    /// In the order of insertion.
    private var pending: [Range<Int64>] = []

    /// Adds an entry's bytes. Not every overlap is detected at once.
    mutating func insert(_ extent: Range<Int64>) throws(ArchiveError) {
        if extent.lowerBound == run.upperBound {
            run = run.lowerBound..<extent.upperBound
            return
        }
        if !run.isEmpty { pending.append(run) }
        run = extent
        // As many as have been merged already, so that sorting doesn't take quadratic time.
        if pending.count >= max(Self.minimumPendingCount, merged.count) { try merge() }
    }

    /// Checks that the entries cover everything from the start of the file to `end`.
    mutating func checkCover(upTo end: Int64) throws(ArchiveError) {
        if !run.isEmpty { pending.append(run) }
        try merge()
        run = 0..<0
        guard merged.first?.lowerBound ?? 0 == 0 else {
            throw .damagedZip("has data before its first entry")
        }
        guard merged.count <= 1, (merged.last?.upperBound ?? 0) == end else {
            throw .damagedZip("has data that its list of entries doesn't mention")
        }
    }

    private mutating func merge() throws(ArchiveError) {
        var result: [Range<Int64>] = []
        for extent in (merged + pending).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            guard let last = result.last, extent.lowerBound <= last.upperBound else {
                result.append(extent)
                continue
            }
            guard extent.lowerBound == last.upperBound else {
                throw .damagedZip("has entries that share bytes, as a decompression bomb does")
            }
            result[result.count - 1] = last.lowerBound..<extent.upperBound
        }
        guard result.count <= Self.maximumCount else {
            throw ArchiveError(
                .limitExceeded,
                "lists its entries in an order in which over \(Self.maximumCount) of them don't follow each other",
                advice: "pack it again"
            )
        }
        merged = result
        pending.removeAll(keepingCapacity: true)
    }
}
