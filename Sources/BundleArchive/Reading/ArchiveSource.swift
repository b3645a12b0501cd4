/// A source of entries: a reader of exactly one format.
protocol ArchiveSource: AnyObject {
    /// The number of bytes of the archive's file that have been read.
    var consumedByteCount: Int64 { get }
    /// Advances to the next entry. Returns nil after the archive's proper end, with all of its bytes accounted for.
    func next() throws(ArchiveError) -> ArchiveEntry?
    /// Fills `buffer` with the current entry's next bytes, completely unless the entry ends before. The entry has been
    /// verified when its last byte is returned.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int
    /// The current entry's content for decoding elsewhere, if it is a file of which nothing has been read and the
    /// format allows it. Its bytes are then not read here.
    func deferredContent() -> DeferredContent?
}
