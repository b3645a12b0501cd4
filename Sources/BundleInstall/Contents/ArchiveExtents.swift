import BundleArchive
import BundleStore

/// Where the files of a zip are in it, by their paths in the archive.
package struct ArchiveExtents {
    private var extents: [BundlePath: CompressedExtent] = [:]

    /// Reads the archive's directory and the headers of its entries, not its contents. Empty for a tar.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when there is no such file, and `invalidArchive` when it can't be
    ///   read.
    package init(of path: String, formats: ArchiveFormats, options: InstallOptions) throws(BundleError) {
        do throws(ArchiveError) {
            let reader = try ArchiveReader(path, formats, options)
            guard reader.format == .zip else { return }
            while let entry = try reader.nextEntry() {
                guard entry.kind == .file, let path = try? EntryRules.path(of: entry) else { continue }
                extents[path] = reader.deferredContent()?.extent
            }
        } catch {
            throw BundleError(error)
        }
    }

    /// The extent of each content of a release that was installed from the archive. A file that is a link has no extent
    /// of its own.
    package func byContent(of release: Release) -> [Digest: CompressedExtent] {
        let lacksTopFolder = lacksTopFolder(release)
        var found: [Digest: CompressedExtent] = [:]
        for (path, extent) in extents {
            guard let path = lacksTopFolder ? Self.withoutTopFolder(path) : path, let asset = release.asset(at: path),
                extent.isDeflated || extent.byteCount == Int64(asset.byteCount)
            else { continue }
            // Of equal contents the smallest is fetched, and of equally small ones always the same.
            let known = found[asset.digest]
            let isBetter = known.map { (extent.byteCount, extent.offset) < ($0.byteCount, $0.offset) } ?? true
            if isBetter { found[asset.digest] = extent }
        }
        return found
    }

    /// Whether the archive's single top folder isn't part of the release's paths: its manifest is in that folder.
    private func lacksTopFolder(_ release: Release) -> Bool {
        guard let manifest = try? BundlePath(BundleManifest.fileName) else { return false }
        return extents[manifest] == nil && release.asset(at: manifest) != nil
    }

    private static func withoutTopFolder(_ path: BundlePath) -> BundlePath? {
        let rest = path.string.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst()
        return rest.isEmpty ? nil : try? BundlePath(String(Substring(rest)))
    }
}
