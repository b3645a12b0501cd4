import BundleStore
import Foundation

extension Installer {
    /// Checks an archive as an installation would, by installing it into a store of its own that is removed afterwards.
    ///
    /// - Parameters:
    ///   - path: The archive.
    ///   - manifest: What the manifest is to be when the archive has none, as in ``InstallOptions/manifest``.
    /// - Throws: As ``install(archive:options:progress:)``; `storeUnavailable` when the temporary folder can't be written.
    public static func rehearse(archive path: String, manifest: BundleManifest? = nil) throws -> InstallReport {
        let folder = FileManager.default.temporaryDirectory.appending(path: "offline-bundles-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try BundleStore(at: folder, creating: true)
        var options = InstallOptions()
        options.manifest = manifest
        return try Installer(store) { _, _, _ in "application/octet-stream" }.install(archive: path, options: options)
    }
}
