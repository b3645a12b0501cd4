import BundleStore
import HTTPCore

/// Installs an archive in the store in one pass: each entry is checked before a byte of it is kept.
///
/// A value type without state; safe to share between threads.
public struct Installer: Sendable {
    /// Returns the media type of a file from its path, its content, and the types in the manifest.
    package typealias MediaTyping = @Sendable (_ path: BundlePath, _ content: ByteSlice, BundleManifest) -> String

    let store: BundleStore
    let mediaType: MediaTyping

    /// Makes an installer that determines each file's media type from the manifest, the file's name, or its content.
    ///
    /// - Parameter store: The store to install in.
    public init(_ store: BundleStore) {
        self.init(store) { path, content, manifest in
            MediaType.detect(path, content, overrides: manifest.mediaTypes).string
        }
    }

    /// - Parameters:
    ///   - store: The store to install in.
    ///   - mediaType: Called once for each file.
    package init(_ store: BundleStore, mediaType: @escaping MediaTyping) {
        self.store = store
        self.mediaType = mediaType
    }

    /// Installs an archive. The store is unchanged until the end, and also after a failure.
    ///
    /// - Parameters:
    ///   - path: The archive: zip, tar, tar.gz, tar.xz or tar.zst.
    ///   - options: How the archive is read, and what becomes of the release.
    ///   - progress: Called now and then with the bytes of the archive that are read.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` for an archive that can't be read or breaks a
    ///   rule, `invalidManifest` for a `bundle.json` that is invalid or missing, `invalidFeed` when the name or version
    ///   isn't the expected one, `originConflict` when it claims URLs of another bundle, `versionConflict`,
    ///   `storeBusy`, `storeUnavailable`; `CancellationError` when the task is cancelled before the archive's end.
    @discardableResult
    public func install(
        archive path: String,
        options: InstallOptions = InstallOptions(),
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> InstallReport {
        let candidate = try ArchiveCandidate(reading: path, options: options, into: store, progress)
        return try candidate.commit(to: store, options: options, mediaType: mediaType)
    }
}
