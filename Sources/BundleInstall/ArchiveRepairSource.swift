import BundleArchive
import BundleStore

/// An archive as a repair source. It may be any archive that has the missing contents; the archive of a damaged release
/// can also replace that release's index, or its row in the catalog.
package struct ArchiveRepairSource: RepairSource {
    private static let chunkByteCount = 1 << 18

    /// The archive's path, or its display name.
    package var place: String? { name }

    private let path: String
    private let name: String
    private let installer: Installer
    private let options: InstallOptions

    /// - Parameters:
    ///   - path: The archive.
    ///   - name: Its name in reports, if that isn't its path.
    ///   - installer: Says which formats are read, and reinstalls a release that can't be repaired otherwise.
    ///   - options: How to read the archive, and whether to wait for another process; the options about releases are
    ///     ignored.
    package init(
        _ path: String,
        named name: String? = nil,
        installer: Installer,
        options: InstallOptions = InstallOptions()
    ) {
        self.path = path
        self.name = name ?? path
        self.installer = installer
        self.options = options
    }

    /// Offers each file of the archive, and reinstalls the damaged release that the archive contains, if any. A release
    /// that is installed with different content isn't replaced.
    ///
    /// - Throws: ``/BundleModel/BundleError`` as ``Installer/install(archive:options:progress:)`` does;
    ///   `CancellationError` when the task is cancelled.
    package func supply(_ repair: StoreRepair) async throws {
        do {
            if !repair.isComplete { try supplyFiles(repair) }
        } catch let error as ArchiveError {
            try repair.dropContent()
            throw BundleError(error)
        }
        for (name, version, manifest) in repair.damagedReleases {
            if try reinstall(name, version, manifest) { repair.noteReinstallation(of: name, version, from: self.name) }
        }
    }

    private func supplyFiles(_ repair: StoreRepair) throws {
        let reader = try ArchiveReader(path, installer.formats, options)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkByteCount, alignment: 16)
        defer { buffer.deallocate() }
        while !repair.isComplete, let entry = try reader.nextEntry() {
            try Task.checkCancellation()
            guard entry.kind == .file, repair.wants(byteCount: UInt64(clamping: entry.byteCount)) else { continue }
            while case let count = try reader.read(into: buffer), count > 0 {
                try repair.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            _ = try repair.endContent(from: name)
        }
    }

    /// Returns false when the archive contains another release.
    private func reinstall(_ name: BundleName, _ version: BundleVersion, _ manifest: BundleManifest?) throws -> Bool {
        var options = options
        options.expected = (name, version)
        options.manifest = manifest
        options.activates = false
        options.replaces = false
        do {
            return try installer.install(archive: path, options: options).outcome == .installed
        } catch let error as BundleError where [.invalidFeed, .invalidManifest].contains(error.code) {
            return false
        }
    }
}
