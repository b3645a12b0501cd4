/// What releases refer to in one segment, in the order of the file. However many contents there are, it takes the memory of
/// half a million of them: the indexes are gone through once for each part of the segment that has so many.
struct SegmentContents {
    static let maximumCount = 1 << 18

    let segment: FileIdentifier
    /// Those of the releases that refer to the segment matter; the others are passed over.
    let releases: [Release]
    /// How many uses are given at once.
    var maximumCount = SegmentContents.maximumCount

    /// Calls `body` with one part of the segment after the other: the uses in order, each once, and none of a stretch in two
    /// parts.
    ///
    /// - Throws: What `body` throws; `Errno` when an index can't be read.
    func forEachPart(_ body: ([ContentUse]) throws -> Void) throws {
        let users = releases.enumerated().filter { $0.element.index.segments.contains(segment) }
        var start: ContentStretch?
        repeat {
            let (part, next) = try part(from: start, of: users)
            if !part.isEmpty { try body(part) }
            start = next
        } while start != nil
    }

    /// Calls `body` with the stretches of one part after the other, each once.
    func forEachStretches(_ body: ([ContentStretch]) throws -> Void) throws {
        try forEachPart { uses in
            var stretches: [ContentStretch] = []
            uses.forEachStretch { stretch, _ in stretches.append(stretch) }
            try body(stretches)
        }
    }

    private func part(
        from start: ContentStretch?,
        of users: [(offset: Int, element: Release)]
    ) throws -> (uses: [ContentUse], next: ContentStretch?) {
        var uses: [ContentUse] = []
        var end: ContentStretch?
        for (number, release) in users {
            let segments = release.index.segments
            try release.index.forEachEntry { entry in
                guard segments.indices.contains(entry.segment), segments[entry.segment] == segment else { return }
                let stretch = ContentStretch(entry)
                if let start, stretch < start { return }
                if let end, stretch >= end { return }
                uses.append(ContentUse(stretch: stretch, release: UInt32(truncatingIfNeeded: number)))
                if uses.count >= 2 * maximumCount { end = shorten(&uses) ?? end }
            }
        }
        let next = shorten(&uses) ?? end
        return (uses, next)
    }

    /// Sorts, leaves each use once, and takes off what is too much.
    ///
    /// - Returns: The first stretch that was taken off, or nil when none was.
    private func shorten(_ uses: inout [ContentUse]) -> ContentStretch? {
        uses.sort()
        var count = 0
        for index in uses.indices where index == 0 || uses[index] != uses[count - 1] {
            uses[count] = uses[index]
            count += 1
        }
        uses.removeLast(uses.count - count)
        guard uses.count > maximumCount else { return nil }
        let stretch = uses[maximumCount].stretch
        guard let first = uses.firstIndex(where: { $0.stretch == stretch }),
            // One stretch with more uses than are given at once is given alone.
            let end = first > 0 ? first : uses.firstIndex(where: { $0.stretch != stretch })
        else { return nil }
        let next = uses[end].stretch
        uses.removeLast(uses.count - end)
        return next
    }
}
