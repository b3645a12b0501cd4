/// What a download is: the file that is fetched, and the bundle that it is for.
///
/// Each bundle has its own. What was begun for one mustn't be continued for another: its publisher's server may have sent
/// anything, and may take as long as it is allowed to. A value type; safe to share between threads.
package struct DownloadKey: Hashable, Sendable {
    private let digest: Digest
    private let bundle: BundleName?

    /// - Parameters:
    ///   - digest: The file's digest.
    ///   - bundle: The bundle; nil for an archive that the operator names by its digest.
    package init(_ digest: Digest, of bundle: BundleName?) {
        self.digest = digest
        self.bundle = bundle
    }

    /// Its name in the store's folder of downloads.
    package var name: String { (bundle.map { "\($0)." } ?? "") + digest.hex }
}
