/// Iterates a zip's central directory without loading all of it.
final class ZipDirectoryCursor {
    private let window: FileWindow
    private let end: ZipEndRecord
    private var position: Int64
    private var count: Int64 = 0

    init(in file: ArchiveFile, end: ZipEndRecord) {
        self.end = end
        window = FileWindow(of: file, upTo: end.directory.upperBound)
        position = end.directory.lowerBound
    }

    /// The number of the directory's bytes that have been read.
    var consumedByteCount: Int64 { position - end.directory.lowerBound }

    /// The next record, valid until the next call, or nil at the directory's end.
    func next() throws(ArchiveError) -> ZipDirectoryRecord? {
        guard position < end.directory.upperBound else {
            guard count == end.entryCount else { throw miscounted }
            return nil
        }
        let start = try window.bytes(at: position, count: ZipDirectoryRecord.fixedByteCount)
        guard let byteCount = ZipDirectoryRecord.byteCount(of: start) else { throw ZipDirectoryRecord.broken }
        let bytes = try window.bytes(at: position, count: byteCount)
        guard bytes.count == byteCount else { throw ZipDirectoryRecord.broken }
        guard count < end.entryCount else { throw miscounted }
        position += Int64(byteCount)
        count += 1
        return try ZipDirectoryRecord(bytes)
    }

    private var miscounted: ArchiveError {
        let listed = count == end.entryCount ? "more" : "fewer"
        return .damagedZip("says that it has \(end.entryCount) entries but lists \(listed)")
    }
}
