/// Where entries come from: a libarchive reader that is set up for exactly one format.
protocol ArchiveSource: AnyObject {
    /// The reader that gives headers and data.
    var handle: ReadHandle { get }
    /// The number of bytes of the archive's file that have been read.
    var consumedByteCount: Int64 { get }
    /// The reason why `handle`'s last call failed.
    func failure() -> ArchiveError
    /// Checks, after the last entry, that the archive really ends here.
    ///
    /// - Parameter entryCount: The number of entries that were given.
    func checkEnd(entryCount: Int) throws(ArchiveError)
}
