/// Where a content is: a stretch of a segment file, counted from the file's start.
struct ContentLocation: Hashable, Sendable {
    let segment: FileIdentifier
    let offset: UInt64
    let byteCount: UInt64

    /// The stretch in a file of `fileByteCount` bytes, or nil when it isn't inside the contents.
    func range(within fileByteCount: Int) -> Range<Int>? {
        SegmentFormat.range(at: offset, of: byteCount, within: fileByteCount)
    }
}
