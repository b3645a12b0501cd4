/// A stretch of a segment, and what an index says that it hashes to.
struct ContentExtent: Hashable, Sendable {
    let offset: UInt64
    let byteCount: UInt64
    let digest: Digest

    /// Where it is in a file of `fileByteCount` bytes, or nil when it isn't inside the contents.
    func range(within fileByteCount: Int) -> Range<Int>? {
        SegmentFormat.range(at: offset, of: byteCount, within: fileByteCount)
    }

    /// Where it is in the store.
    func location(in segment: FileIdentifier) -> ContentLocation {
        ContentLocation(segment: segment, offset: offset, byteCount: byteCount)
    }
}

extension ContentExtent {
    init(_ entry: IndexEntry) {
        self.init(offset: entry.offset, byteCount: entry.byteCount, digest: entry.digest)
    }
}

extension ContentExtent: Comparable {
    /// Orders as the file has them.
    static func < (left: ContentExtent, right: ContentExtent) -> Bool {
        if left.offset != right.offset { return left.offset < right.offset }
        if left.byteCount != right.byteCount { return left.byteCount < right.byteCount }
        return left.digest.withUnsafeBytes { left in right.digest.withUnsafeBytes { left.precedes($0) } }
    }
}
