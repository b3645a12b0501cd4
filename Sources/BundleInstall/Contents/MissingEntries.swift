import BundleArchive
import BundleStore

/// The files of a release whose contents a store lacks, and the ranges of the archive that have them. Pure; a value type,
/// safe to share between threads.
package struct MissingEntries: Sendable {
    /// All files of the release.
    package let list: ContentList
    /// What is fetched of the archive.
    package let ranges: ByteRanges
    /// Where the missing contents are when the ranges are put one behind the other.
    package let extents: [Digest: CompressedExtent]

    /// - Parameters:
    ///   - list: The release's files.
    ///   - isStored: Whether the store has a content.
    /// - Returns: Nil when a content that the store lacks has no place of its own in the archive.
    package init?(of list: ContentList, isStored: (Digest) -> Bool) {
        var missing: [Digest: CompressedExtent] = [:]
        for file in list.files where missing[file.digest] == nil && !isStored(file.digest) {
            guard let extent = file.extent else { return nil }
            missing[file.digest] = extent
        }
        let ranges = ByteRanges(covering: missing.values.map { $0.offset..<$0.offset + $0.byteCount })
        self.list = list
        self.ranges = ranges
        extents = missing.mapValues { extent in
            CompressedExtent(
                // A content without bytes is in no range.
                offset: ranges.position(of: extent.offset) ?? 0,
                byteCount: extent.byteCount,
                isDeflated: extent.isDeflated
            )
        }
    }
}

/// Ranges of a file that are fetched one by one, and where their bytes are when they are put one behind the other.
///
/// Pure; a value type, safe to share between threads.
package struct ByteRanges: Equatable, Sendable {
    /// Bytes between two ranges that are fetched with them: a request of its own would take more.
    package static let requestByteCount: Int64 = 512
    /// Further gaps are fetched, the smallest first, as long as they are at most this part of what is needed: it saves
    /// requests.
    private static let wasteDivisor: Int64 = 32

    /// The ranges, in order, none of them empty, with at least one byte between any two.
    package let ranges: [Range<Int64>]
    /// Where each range starts when they are put one behind the other.
    private let starts: [Int64]

    /// Covers all of the given ranges, which may overlap and be empty.
    package init(covering needed: some Sequence<Range<Int64>>) {
        let merged = Self.merge(needed.filter { !$0.isEmpty }, acrossGapsOf: 0)
        let neededByteCount = merged.reduce(0) { $0 + Int64($1.count) }
        let gap = Self.largestGap(in: merged, wasting: neededByteCount / Self.wasteDivisor)
        ranges = Self.merge(merged, acrossGapsOf: max(gap, Self.requestByteCount))
        var start: Int64 = 0
        starts = ranges.map { range in
            defer { start += Int64(range.count) }
            return start
        }
        byteCount = start
    }

    /// The number of bytes in all ranges.
    package let byteCount: Int64

    /// Where a position in the file is when the ranges are put one behind the other; nil when no range has it.
    package func position(of offset: Int64) -> Int64? {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= offset { low = middle + 1 } else { high = middle }
        }
        guard low < ranges.count, ranges[low].contains(offset) else { return nil }
        return starts[low] + (offset - ranges[low].lowerBound)
    }

    /// The ranges from a position on, when they are put one behind the other, in parts of a limited length.
    ///
    /// - Parameter limit: The longest part in bytes, 1 or more.
    package func parts(from position: Int64, atMost limit: Int64) -> [Range<Int64>] {
        var parts: [Range<Int64>] = []
        for (range, start) in zip(ranges, starts) where start + Int64(range.count) > position {
            var lower = range.lowerBound + max(position - start, 0)
            while lower < range.upperBound {
                let upper = lower + min(limit, range.upperBound - lower)
                parts.append(lower..<upper)
                lower = upper
            }
        }
        return parts
    }

    private static func merge(_ ranges: [Range<Int64>], acrossGapsOf gap: Int64) -> [Range<Int64>] {
        var merged: [Range<Int64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound - last.upperBound <= gap {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }

    /// The largest gap that can be fetched, with all smaller ones, without wasting more.
    private static func largestGap(in ranges: [Range<Int64>], wasting limit: Int64) -> Int64 {
        let gaps = zip(ranges, ranges.dropFirst()).map { $1.lowerBound - $0.upperBound }.sorted()
        var (sum, largest): (Int64, Int64) = (0, 0)
        for gap in gaps {
            sum += gap
            // Of equal gaps all are fetched, or none.
            guard sum <= limit else { return gap == largest ? largest - 1 : largest }
            largest = gap
        }
        return largest
    }
}
