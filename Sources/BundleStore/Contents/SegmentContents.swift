/// What releases refer to in one segment, in the order of the file and in bounded memory: the indexes are gone through once
/// for each part of the segment that has as many contents as are held at a time.
struct SegmentContents {
    private static let maximumByteCount = 4 << 20

    let segment: FileIdentifier
    /// Those that refer to the segment matter; the others are passed over.
    private let indexes: [VersionIndex]
    /// The size of a part in memory. Twice as much is needed to find it.
    private let maximumByteCount: Int

    /// - Parameter indexes: The releases' indexes, whose places in the list ``ContentUse/release`` tells.
    init(segment: FileIdentifier, indexes: [VersionIndex], maximumByteCount: Int = SegmentContents.maximumByteCount) {
        self.segment = segment
        self.indexes = indexes
        self.maximumByteCount = maximumByteCount
    }

    init(segment: FileIdentifier, releases: [Release], maximumByteCount: Int = SegmentContents.maximumByteCount) {
        self.init(segment: segment, indexes: releases.map(\.index), maximumByteCount: maximumByteCount)
    }

    /// Calls `body` for each stretch that is inside the file, with the number of its bytes that none before it has, its
    /// padding among them, and its uses: a damaged index may have stretches that overlap, and no byte counts twice.
    ///
    /// - Parameter fileByteCount: The length of the segment's file.
    /// - Throws: What `body` throws; `Errno` when an index can't be read.
    func forEachExtent(
        within fileByteCount: Int,
        _ body: (_ byteCount: Int, ArraySlice<ContentUse>) throws -> Void
    ) throws {
        var end = SegmentFormat.headerByteCount
        try forEachPart { uses in
            try uses.forEachExtent { extent, uses in
                guard let range = extent.range(within: fileByteCount) else { return }
                let byteCount =
                    max(range.upperBound - max(range.lowerBound, end), 0)
                    + SegmentFormat.paddingByteCount(after: end, before: range)
                end = max(end, range.upperBound)
                try body(byteCount, uses)
            }
        }
    }

    /// Calls `body` with the uses of one part of the segment after the other: in order, each once, and none of a stretch in
    /// two parts.
    ///
    /// - Throws: What `body` throws; `Errno` when an index can't be read.
    func forEachPart(_ body: ([ContentUse]) throws -> Void) throws {
        try forEachPart(of: { ContentUse(extent: $0, release: UInt32(truncatingIfNeeded: $1)) }, body)
    }

    /// Calls `body` with the stretches of one part after the other, each once.
    func forEachExtents(_ body: ([ContentExtent]) throws -> Void) throws {
        try forEachPart(of: { extent, _ in extent }, body)
    }

    private func forEachPart<Element: OrderedByOffset>(
        of element: (ContentExtent, _ release: Int) -> Element,
        _ body: ([Element]) throws -> Void
    ) throws {
        let users = indexes.enumerated().filter { $0.element.segments.contains(segment) }
        let maximumCount = max(maximumByteCount / MemoryLayout<Element>.stride, 1)
        var start: UInt64? = 0
        while let first = start {
            var part = Part<Element>(from: first, maximumCount: maximumCount)
            for (number, index) in users {
                let segments = index.segments
                try index.forEachEntry { entry in
                    guard part.covers(entry.offset), segments.indices.contains(entry.segment),
                        segments[entry.segment] == segment
                    else { return }
                    part.add(element(ContentExtent(entry), number))
                }
            }
            part.shorten()
            if !part.elements.isEmpty { try body(part.elements) }
            start = part.end
        }
    }
}

/// Something with a place in a file, after which it is ordered.
protocol OrderedByOffset: Comparable {
    var offset: UInt64 { get }
}

extension ContentExtent: OrderedByOffset {}

extension ContentUse: OrderedByOffset {
    var offset: UInt64 { extent.offset }
}

/// The first elements from an offset on, as far as they are held at a time.
private struct Part<Element: OrderedByOffset> {
    private(set) var elements: [Element] = []
    /// The offset of the first one that isn't held; nil when all are.
    private(set) var end: UInt64?
    private let start: UInt64
    private let maximumCount: Int
    private var shorteningCount: Int

    init(from start: UInt64, maximumCount: Int) {
        self.start = start
        self.maximumCount = maximumCount
        shorteningCount = 2 * maximumCount
    }

    func covers(_ offset: UInt64) -> Bool { offset >= start && end.map { offset < $0 } ?? true }

    mutating func add(_ element: Element) {
        // Not more than needed, and never moved once it is large.
        if elements.count == 1_024 { elements.reserveCapacity(shorteningCount) }
        elements.append(element)
        if elements.count >= shorteningCount { shorten() }
    }

    /// Sorts, leaves each element once, and takes off what is too much.
    mutating func shorten() {
        elements.sort()
        var count = 0
        for index in elements.indices where index == 0 || elements[index] != elements[count - 1] {
            elements[count] = elements[index]
            count += 1
        }
        elements.removeLast(elements.count - count)
        if count > maximumCount {
            let offset = elements[maximumCount].offset
            // One offset with more elements than are held at a time is held alone.
            let first = elements.firstIndex { $0.offset == offset } ?? 0
            if let end = first > 0 ? first : elements.firstIndex(where: { $0.offset != offset }) {
                self.end = elements[end].offset
                elements.removeLast(elements.count - end)
            }
        }
        shorteningCount = max(shorteningCount, 2 * elements.count)
    }
}
