import BundleArchive
import BundleStore

extension Installer {
    /// The manifest of an archive: at its root, or in its single top folder.
    ///
    /// Reads no more of a zip than its directory and the manifest, and of a tar no more than up to a manifest at the root.
    /// The rest of the archive isn't verified, so it says what an installation would install, not that it would succeed.
    ///
    /// - Parameters:
    ///   - path: The archive.
    ///   - options: How the archive is read; of the rest only the manifest counts, for an archive without one.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` for an archive that can't be read,
    ///   `invalidManifest` for a `bundle.json` that is invalid or missing.
    public static func manifest(
        of path: String,
        options: InstallOptions = InstallOptions()
    ) throws -> BundleManifest {
        let found: [UInt8]?
        do throws(ArchiveError) {
            let reader = try ArchiveReader(path: path, limits: options.limits, charset: options.charset)
            found = try ManifestSearch(reader).run()
        } catch {
            throw BundleError(.invalidArchive, error.problem, error.remedy, cause: error)
        }
        return try ReleaseManifest.choose(found: found, options: options, archive: path).manifest
    }
}
