import BundleArchive
import BundleStore

/// The files of a release whose contents a store lacks, and the ranges of the archive that have them. Pure; a value type,
/// safe to share between threads.
package struct MissingEntries: Sendable {
    /// All files of the release.
    package let list: ContentList
    /// What is fetched of the archive.
    package let ranges: ByteRanges
    /// Where the missing contents are when the ranges are put one behind the other.
    package let extents: [Digest: CompressedExtent]

    /// - Parameters:
    ///   - list: The release's files.
    ///   - isStored: Whether the store has a content.
    /// - Returns: Nil when a content that the store lacks has no place of its own in the archive.
    package init?(of list: ContentList, isStored: (Digest) -> Bool) {
        var missing: [Digest: CompressedExtent] = [:]
        for file in list.files where missing[file.digest] == nil && !isStored(file.digest) {
            guard let extent = file.extent else { return nil }
            missing[file.digest] = extent
        }
        let ranges = ByteRanges(covering: missing.values.map { $0.offset..<$0.offset + $0.byteCount })
        self.list = list
        self.ranges = ranges
        extents = missing.mapValues { extent in
            CompressedExtent(
                // A content without bytes is in no range.
                offset: ranges.position(of: extent.offset) ?? 0,
                byteCount: extent.byteCount,
                isDeflated: extent.isDeflated
            )
        }
    }
}
