import CArchive

/// Entries of a zip archive.
final class ZipSource: ArchiveSource {
    let handle: ReadHandle
    private let end: ZipEndRecord

    init(file: ArchiveFile, end: ZipEndRecord, budget: ReadBudget) throws(ArchiveError) {
        self.end = end
        try ZipDirectory(of: file, end: end, budget: budget).check()
        handle = try ReadHandle()
        // Only the seeking reader: the streaming one takes an archive without its list of entries.
        try handle.check(archive_read_support_format_zip_seekable(handle.pointer))
        try handle.check(archive_read_open_fd(handle.pointer, file.descriptor, ArchiveReader.blockByteCount))
    }

    var consumedByteCount: Int64 { handle.consumedByteCount }

    func failure() -> ArchiveError { handle.failure() }

    /// libarchive leaves out entries that it can't place; the list of entries says how many there must be.
    func checkEnd(entryCount: Int) throws(ArchiveError) {
        guard Int64(entryCount) == end.entryCount else {
            throw ArchiveError(
                .damaged,
                "lists \(end.entryCount) entries but has \(entryCount)",
                advice: ArchiveError.fetchAgain
            )
        }
    }
}
