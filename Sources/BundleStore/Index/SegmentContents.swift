/// The contents of one segment that releases refer to, in file order and in bounded memory: the indexes are iterated
/// once for each part of the segment with as many contents as are held at a time.
struct SegmentContents {
    static let maximumByteCount = 4 << 20

    let segment: FileIdentifier
    /// Only those that refer to the segment matter; the others are skipped.
    private let indexes: [VersionIndex]
    /// The size of a part in memory. Finding it takes twice as much.
    private let maximumByteCount: Int

    /// - Parameter indexes: The releases' indexes; ``ContentUse/release`` is a position in this list.
    init(segment: FileIdentifier, indexes: [VersionIndex], maximumByteCount: Int = SegmentContents.maximumByteCount) {
        self.segment = segment
        self.indexes = indexes
        self.maximumByteCount = maximumByteCount
    }

    /// Calls `body` for each extent that lies inside the file, with the number of its bytes, including padding, that no
    /// extent before it has, and with its uses: a damaged index may have overlapping extents, and no byte counts twice.
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

    /// Calls `body` with the uses of one part of the segment at a time: in order, each once, and all uses of an extent
    /// in the same part.
    ///
    /// - Throws: What `body` throws; `Errno` when an index can't be read.
    func forEachPart(_ body: ([ContentUse]) throws -> Void) throws {
        try forEachPart(of: { ContentUse(extent: $0, release: UInt32(truncatingIfNeeded: $1)) }, body)
    }

    /// Calls `body` with the extents of one part at a time, each once.
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

/// An element that is ordered by its offset in a file.
protocol OrderedByOffset: Comparable {
    var offset: UInt64 { get }
}

extension ContentExtent: OrderedByOffset {}

extension ContentUse: OrderedByOffset {
    var offset: UInt64 { extent.offset }
}

/// The first elements from an offset on, as many as are held at a time.
private struct Part<Element: OrderedByOffset> {
    private(set) var elements: [Element] = []
    /// The offset of the first element that isn't held; nil when all are.
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
        // No more than needed, and never moved once it is large.
        if elements.count == 1_024 { elements.reserveCapacity(shorteningCount) }
        elements.append(element)
        if elements.count >= shorteningCount { shorten() }
    }

    /// Sorts, removes duplicates, and drops the excess.
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
            // An offset with more elements than are held at a time is held alone.
            let first = elements.firstIndex { $0.offset == offset } ?? 0
            if let end = first > 0 ? first : elements.firstIndex(where: { $0.offset != offset }) {
                self.end = elements[end].offset
                elements.removeLast(elements.count - end)
            }
        }
        shorteningCount = max(shorteningCount, 2 * elements.count)
    }
}

extension ContentExtent {
    init(_ entry: IndexEntry) {
        self.init(offset: entry.offset, byteCount: entry.byteCount, digest: entry.digest)
    }
}

/// A release's reference to an extent of a segment.
struct ContentUse: Hashable, Sendable {
    let extent: ContentExtent
    /// The release's position in the list that was searched.
    let release: UInt32
}

extension ContentUse: Comparable {
    static func < (left: ContentUse, right: ContentUse) -> Bool {
        left.extent == right.extent ? left.release < right.release : left.extent < right.extent
    }
}

extension [ContentUse] {
    /// Calls `body` for each extent with its uses, which must be adjacent.
    func forEachExtent(_ body: (ContentExtent, ArraySlice<ContentUse>) throws -> Void) rethrows {
        var start = startIndex
        while start < endIndex {
            let extent = self[start].extent
            let end = self[start...].firstIndex { $0.extent != extent } ?? endIndex
            try body(extent, self[start..<end])
            start = end
        }
    }
}
