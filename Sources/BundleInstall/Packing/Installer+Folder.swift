import BundleArchive
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
        let temporary = FileManager.default.temporaryDirectory.appending(path: "offline-bundles-\(UUID().uuidString)")
            .path
        UnfinishedOutput.add(temporary)
        defer {
            try? FileManager.default.removeItem(atPath: temporary)
            UnfinishedOutput.drop(temporary)
        }
        do {
            try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
        } catch {
            throw BundleError(
                .outputUnavailable,
                "\(Printable.line(temporary)) can't be written; check the folder and the free space, or set TMPDIR",
                cause: error
            )
        }
        var packing = packing
        packing.manifest = packing.manifest ?? options.manifest
        let archive = "\(temporary)/folder.tar"
        _ = try Packer().pack(folder, into: archive, format: .tar, options: packing)
        var options = options
        options.sourceName = options.sourceName ?? folder
        return try install(archive: archive, options: options, progress: progress)
    }
}
