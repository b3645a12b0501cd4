import BundleArchive
import BundleInstall
import BundleStore
import Foundation

extension Installer {
    /// Installs a folder: as the archive that ``Packer`` makes of it, which is written to the system's temporary folder and
    /// removed again.
    ///
    /// - Parameters:
    ///   - folder: The bundle's files. Without a `bundle.json` among them the options' manifest counts.
    ///   - options: As for an archive.
    ///   - packing: Which files are packed, and as which release.
    ///   - progress: Called now and then with the bytes of the archive that are read.
    /// - Throws: As ``Packer/pack(_:into:format:options:progress:)`` and ``install(archive:options:progress:)``.
    @discardableResult
    public func install(
        folder: String,
        options: InstallOptions = InstallOptions(),
        packing: PackOptions = PackOptions(),
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> InstallReport {
        let name = FileManager.default.temporaryDirectory.appending(path: "offline-bundles-folder.tar").path
        // Never published: what a killed process left is removed by the next one.
        let staged = try StagedFile(for: name)
        var packing = packing
        packing.manifest = packing.manifest ?? options.manifest
        packing.manifestFile = packing.manifestFile ?? options.manifestFile
        let packed = try Packer().pack(folder, into: staged.path, format: .tar, options: packing)
        var options = options
        options.manifestFile = nil
        options.sourceName = options.sourceName ?? folder
        var report = try install(archive: staged.path, options: options, progress: progress)
        report.leftOut = packed.leftOut
        return report
    }
}
