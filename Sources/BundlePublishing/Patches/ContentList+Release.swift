import BundleArchive
import BundleInstall
import BundleStore

extension ContentList {
    /// Lists the files of a release that was installed from an archive.
    ///
    /// - Parameters:
    ///   - release: The release.
    ///   - archive: The archive's path.
    ///   - digest: The archive's digest.
    ///   - options: How the archive was read.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` when the archive can't be read.
    package init(
        of release: Release,
        in archive: String,
        _ digest: Digest,
        options: InstallOptions
    ) throws(BundleError) {
        let extents = try ArchiveExtents(of: archive, options: options).byContent(of: release)
        var files: [File] = []
        files.reserveCapacity(release.fileCount)
        for asset in release.assets {
            guard let path = try? BundlePath(asset.path) else { continue }
            files.append(
                File(
                    path: path,
                    byteCount: Int64(asset.byteCount),
                    digest: asset.digest,
                    extent: extents[asset.digest]
                )
            )
        }
        self.init(name: release.name, version: release.version, archive: digest, files: files)
    }
}
