import SystemPackage

/// Reads the contents of a store's files without mapping them, so that a disk failure is an error and not the end of
/// the process.
///
/// Not thread-safe.
package final class AssetReader {
    private let reader: ContentReader

    package init(_ store: BundleStore) {
        reader = ContentReader(store.layout)
    }

    /// Fills `buffer` with a file's content, which isn't compared with its digest.
    ///
    /// - Parameter buffer: Has the file's ``Asset/byteCount``.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when the content can't be read.
    package func read(_ asset: Asset, into buffer: UnsafeMutableRawBufferPointer) throws(BundleError) {
        do {
            guard let location = asset.location, location.byteCount == buffer.count else { throw Errno.ioError }
            var done = 0
            try reader.readPieces(of: location) { piece in
                UnsafeMutableRawBufferPointer(rebasing: buffer[done...]).copyMemory(from: piece)
                done += piece.count
            }
        } catch {
            throw asset.unreadable(error)
        }
    }
}

extension Asset {
    fileprivate func unreadable(_ cause: any Error) -> BundleError {
        BundleError(
            .storeDamaged,
            "\(release.name)@\(release.version) \(Printable.text(path)) can't be read",
            .repair(.content),
            cause: cause
        )
    }
}
