import BundleArchive
import BundleStore

/// The contents whose compressed bytes were fetched, decoded one at a time.
///
/// Not thread-safe.
final class FetchedContents {
    private static let pieceByteCount = 1 << 18

    private let file: CompressedFile
    private let extents: [Digest: CompressedExtent]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)

    /// - Throws: `ArchiveError` when the file can't be opened.
    init(path: String, extents: [Digest: CompressedExtent], limits: ArchiveLimits) throws(ArchiveError) {
        file = try CompressedFile(path: path, limits: limits)
        self.extents = extents
    }

    deinit {
        buffer.deallocate()
    }

    /// Decodes a file's content and adds it to a release.
    ///
    /// - Returns: False when its bytes weren't fetched.
    /// - Throws: `ArchiveError` when they can't be decoded; ``/BundleModel/BundleError`` with code `invalidFeed` when
    ///   they aren't the listed content.
    func add(_ listed: ContentList.File, to assembly: borrowing ReleaseAssembly) throws -> Bool {
        guard let extent = extents[listed.digest] else { return false }
        try file.decode(extent, byteCount: listed.byteCount, named: listed.path.string, by: buffer) { piece in
            try assembly.ingest.append(piece)
        }
        guard try assembly.ingest.endFile(listed.path) == listed.digest else {
            throw BundleError(
                .invalidFeed,
                "\(Printable.line(listed.path.string)) doesn't have the digest that its content list says; publish it again"
            )
        }
        return true
    }
}
