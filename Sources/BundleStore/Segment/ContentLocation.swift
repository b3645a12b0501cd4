/// The location of a content: an extent of a segment file, with its offset from the start of the file.
struct ContentLocation: Hashable, Sendable {
    let segment: FileIdentifier
    let offset: UInt64
    let byteCount: UInt64

    /// The extent as a range in a file of `fileByteCount` bytes, or nil when it lies outside the contents.
    func range(within fileByteCount: Int) -> Range<Int>? {
        SegmentFormat.range(at: offset, of: byteCount, within: fileByteCount)
    }
}
