/// An extent of a segment, and the digest that an index records for it.
struct ContentExtent: Hashable, Sendable {
    let offset: UInt64
    let byteCount: UInt64
    let digest: Digest

    /// The extent as a range in a file of `fileByteCount` bytes, or nil when it lies outside the contents.
    func range(within fileByteCount: Int) -> Range<Int>? {
        SegmentFormat.range(at: offset, of: byteCount, within: fileByteCount)
    }

    /// Its location in the store.
    func location(in segment: FileIdentifier) -> ContentLocation {
        ContentLocation(segment: segment, offset: offset, byteCount: byteCount)
    }
}

extension ContentExtent: Comparable {
    /// Orders by position in the file.
    static func < (left: ContentExtent, right: ContentExtent) -> Bool {
        if left.offset != right.offset { return left.offset < right.offset }
        if left.byteCount != right.byteCount { return left.byteCount < right.byteCount }
        return left.digest.withUnsafeBytes { left in right.digest.withUnsafeBytes { left.precedes($0) } }
    }
}
