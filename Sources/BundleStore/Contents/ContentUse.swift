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
