/// That a release refers to a stretch of a segment.
struct ContentUse: Hashable, Sendable {
    let stretch: ContentStretch
    /// The release's place in the list that it was looked up in.
    let release: UInt32
}

extension ContentUse: Comparable {
    static func < (left: ContentUse, right: ContentUse) -> Bool {
        left.stretch == right.stretch ? left.release < right.release : left.stretch < right.stretch
    }
}

extension [ContentUse] {
    /// Calls `body` for each stretch with those of its uses, which follow each other.
    func forEachStretch(_ body: (ContentStretch, ArraySlice<ContentUse>) throws -> Void) rethrows {
        var start = startIndex
        while start < endIndex {
            let stretch = self[start].stretch
            let end = self[start...].firstIndex { $0.stretch != stretch } ?? endIndex
            try body(stretch, self[start..<end])
            start = end
        }
    }
}
