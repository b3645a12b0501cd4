import BundleArchive
import BundleStore

extension ContentList {
    /// How many bytes of a list are held in memory besides its text and its files: a file has a path and a digest.
    private static let heldByteCount = 1 << 20

    /// Reads a list, in some three times as much memory as its text takes.
    ///
    /// - Parameters:
    ///   - bytes: JSON under Zstandard, as ``encoded()`` returns it.
    ///   - name: The list's URL or file name in errors.
    ///   - archiveByteCount: The length of the archive that the extents are in.
    ///   - limits: What a release may have.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when the text is too long, isn't JSON, or has a
    ///   wrong file: a path that can't be installed or isn't in order, or an extent outside of the archive.
    package init(
        reading bytes: [UInt8],
        named name: String,
        archiveByteCount: Int64,
        limits: ArchiveLimits
    ) throws(BundleError) {
        guard
            let json = ZstandardFrame.decode(
                bytes,
                maximumByteCount: Self.maximumByteCount(encodedAs: bytes.count)
            )
        else {
            throw BundleError(.invalidFeed, "\(Printable.text(name)): isn't a content list under Zstandard")
        }
        var reader = ContentListReader(archiveByteCount: archiveByteCount, limits: limits)
        let root = try JSONElement(
            parsing: json,
            named: name,
            refusedAs: .invalidFeed,
            within: Self.heldByteCount,
            passing: Key.files
        ) { element throws(BundleError) in try reader.add(element) }
        self.init(
            name: try reader.name(of: root),
            version: try reader.version(of: root),
            archive: try reader.digest(root.required(Key.archive)),
            files: try reader.files(of: root)
        )
    }
}
