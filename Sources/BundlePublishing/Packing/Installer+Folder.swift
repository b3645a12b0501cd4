import BundleArchive
import BundleInstall
import BundleStore
import BundleTar
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
        let packed = try Packer().pack(folder, into: staged.path, format: .tar, options: packing)
        var options = options
        options.sourceName = options.sourceName ?? folder
        var report = try ofOwnArchives.install(archive: staged.path, options: options, progress: progress)
        report.leftOut = packed.leftOut
        return report
    }

    /// Reads the tars that are made here, also in a program that reads no others.
    private var ofOwnArchives: Installer { Installer(store, formats: .zipAndTar) }
}

extension Installer {
    /// Makes an archive with the files of another one, and with another manifest. The same files and the same manifest always
    /// give the same bytes. Unpacks the archive in the system's temporary folder.
    ///
    /// - Parameters:
    ///   - archive: The archive.
    ///   - file: The manifest: that of the archive, if any, doesn't count, and isn't read.
    ///   - output: The archive to write, which isn't synced to the disk.
    ///   - format: The format of `output`.
    ///   - options: How the archive is read; options about the commit have no effect.
    ///   - progress: Called now and then with the bytes of the archive that are read.
    /// - Returns: What is odd about the archive.
    /// - Throws: As ``install(archive:options:progress:)``; ``/BundleModel/BundleError`` with code `outputUnavailable` when the
    ///   archive can't be written.
    package static func replaceManifest(
        of archive: String,
        by file: ManifestFile,
        into output: String,
        format: ArchiveFormat,
        options: InstallOptions = InstallOptions(),
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> [String] {
        var options = options
        options.precondition = { _ in }
        let temporary = try TemporaryStore()
        return try temporary.using { store in
            let candidate = try ArchiveCandidate(
                reading: archive,
                .zipAndTar,
                options: options,
                replacement: file,
                into: store,
                progress
            )
            let report = try candidate.commit(to: store, options: options)
            guard let release = store.snapshot.bundles[report.name]?.release(report.version) else {
                throw BundleError(
                    .storeUnavailable,
                    "the temporary store lost \(report.name)@\(report.version); try again"
                )
            }
            try write(release, with: file.content, to: output, format)
            return report.warnings
        }
    }

    private static func write(
        _ release: Release,
        with manifest: [UInt8],
        to path: String,
        _ format: ArchiveFormat
    ) throws {
        do {
            let writer = try ArchiveWriter(path: path, format: format)
            // First, so that a reader of a tar finds it at once.
            try manifest.withUnsafeBytes { try writer.add(name: BundleManifest.fileName, contents: $0) }
            for asset in release.assets where asset.path != BundleManifest.fileName {
                try Task.checkCancellation()
                guard let contents = asset.contents else {
                    throw BundleError(
                        .storeUnavailable,
                        "the temporary store lost \(Printable.text(asset.path)); try again"
                    )
                }
                try contents.withUnsafeBytes { try writer.add(name: asset.path, contents: $0) }
            }
            try writer.finish()
        } catch let error as ArchiveError {
            let code: BundleError.Code = error.code == .unwritable ? .outputUnavailable : .invalidArchive
            throw BundleError(code, error.problem, error.remedy, cause: error)
        }
    }

    /// Installs an archive, with another manifest in place of its own.
    ///
    /// - Parameter file: The manifest: that of the archive, if any, doesn't count, and isn't read. Nil for the archive's own.
    /// - Throws: As ``install(archive:options:progress:)``.
    package func install(
        archive path: String,
        describedBy file: ManifestFile?,
        options: InstallOptions,
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> InstallReport {
        guard let file else {
            return try install(archive: path, options: options, progress: progress)
        }
        guard options.expectedFiles == nil else {
            throw BundleError(
                .invalidArgument,
                "\(Printable.line(path)) is signed with its own manifest; leave out \(file.name)"
            )
        }
        // Never published: what a killed process left is removed by the next one.
        let name = FileManager.default.temporaryDirectory.appending(path: "offline-bundles-manifest.tar").path
        let staged = try StagedFile(for: name)
        var options = options
        options.sourceName = options.sourceName ?? path
        let warnings = try Self.replaceManifest(
            of: path,
            by: file,
            into: staged.path,
            format: .tar,
            options: options,
            progress: progress
        )
        var report = try ofOwnArchives.install(archive: staged.path, options: options)
        report.warnings = warnings + report.warnings.filter { !warnings.contains($0) }
        return report
    }
}
