/// That a release refers to a stretch of a segment.
struct ContentUse: Hashable, Sendable {
    let extent: ContentExtent
    /// The release's place in the list that it was looked up in.
    let release: UInt32
}

extension ContentUse: Comparable {
    static func < (left: ContentUse, right: ContentUse) -> Bool {
        left.extent == right.extent ? left.release < right.release : left.extent < right.extent
    }
}

extension [ContentUse] {
    /// Calls `body` for each stretch with those of its uses, which follow each other.
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
