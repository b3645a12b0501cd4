import BundleArchive
import BundleStore

/// Installs an archive in the store in one pass: each entry is checked before a byte of it is kept.
///
/// A value type without state; safe to share between threads.
public struct Installer: Sendable {
    package let store: BundleStore
    /// The archive formats that are read.
    package let formats: ArchiveFormats

    /// Makes an installer that determines each file's media type from the manifest, the file's name, or its content.
    ///
    /// - Parameters:
    ///   - store: The store to install in.
    ///   - formats: The archive formats that are read.
    public init(_ store: BundleStore, formats: ArchiveFormats = .zip) {
        self.store = store
        self.formats = formats
    }

    /// Installs an archive. The store is unchanged until the end, and also after a failure.
    ///
    /// - Parameters:
    ///   - path: The archive, in one of the installer's formats.
    ///   - options: How the archive is read, and what becomes of the release.
    ///   - progress: Called now and then with the bytes of the archive that are read.
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when there is no such file, `invalidArchive` for an archive that
    ///   can't be read or breaks a rule, `invalidManifest` for a `bundle.json` that is invalid or missing, `invalidFeed` when the name or
    ///   version isn't the expected one, `originConflict` when it claims URLs of another bundle, `versionConflict`,
    ///   `storeBusy`, `storeUnavailable`; `CancellationError` when the task is cancelled before the archive's end.
    @discardableResult
    public func install(
        archive path: String,
        options: InstallOptions = InstallOptions(),
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> InstallReport {
        let candidate = try ArchiveCandidate(reading: path, formats, options: options, into: store, progress)
        return try candidate.commit(to: store, options: options)
    }
}

extension Installer {
    /// The manifest of an archive: at its root, or in its single top folder.
    ///
    /// Reads no more of a zip than its directory and the manifest, and of a tar no more than up to a manifest at the root.
    /// The rest of the archive isn't verified, so it says what an installation would install, not that it would succeed.
    ///
    /// - Parameters:
    ///   - path: The archive.
    ///   - formats: The archive formats that are read.
    ///   - options: How the archive is read; of the rest only the manifest counts, for an archive without one.
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when there is no such file, `invalidArchive` for an archive that
    ///   can't be read, `invalidManifest` for a `bundle.json` that is invalid or missing.
    public static func manifest(
        of path: String,
        formats: ArchiveFormats = .zip,
        options: InstallOptions = InstallOptions()
    ) throws -> BundleManifest {
        let found: [UInt8]?
        do throws(ArchiveError) {
            let reader = try ArchiveReader(path, formats, options)
            found = try ManifestSearch(reader).run()
        } catch {
            throw BundleError(error)
        }
        return try ReleaseManifest.choose(found: found, options: options, archive: path).manifest
    }
}

extension Installer {
    /// Validates an archive as an installation would, up to the commit, in a temporary store that is removed
    /// afterwards.
    ///
    /// - Parameters:
    ///   - path: The archive.
    ///   - formats: The archive formats that are read.
    ///   - options: As for an installation; options about the commit have no effect.
    ///   - progress: Called now and then with the bytes of the archive that are read.
    /// - Throws: As ``install(archive:options:progress:)``; `storeUnavailable` when the temporary folder can't be written.
    public static func validate(
        archive path: String,
        formats: ArchiveFormats = .zip,
        options: InstallOptions = InstallOptions(),
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> InstallReport {
        try TemporaryStore().using { store in
            let candidate = try ArchiveCandidate(reading: path, formats, options: options, into: store, progress)
            return candidate.report(in: store.snapshot)
        }
    }
}

extension Installer {
    /// The number of bytes by which an archive is recognised.
    package static let recognitionByteCount = ArchiveBeginning.byteCount

    /// Whether bytes are the beginning of an archive that can be installed.
    ///
    /// - Parameter prefix: The first ``recognitionByteCount`` bytes of a file, or the whole of a shorter one.
    package static func recognises(_ prefix: [UInt8]) -> Bool { ArchiveBeginning.isArchive(prefix) }
}

extension BundleError {
    /// The error for an archive that can't be installed.
    init(_ error: ArchiveError) {
        self.init(
            error.isOfMissingFile ? .inputUnavailable : .invalidArchive,
            error.problem,
            error.remedy,
            cause: error
        )
    }
}

/// Options for installing an archive.
public struct InstallOptions: Sendable {
    /// The manifest for an archive without one; if nil, such an archive is refused. If the archive has a manifest, its
    /// name and version must be the same.
    public var manifest: BundleManifest?
    /// The advertised name and version of the archive. If the archive has others, it is refused.
    public var expected: (name: BundleName, version: BundleVersion)?
    /// The digest that the files must have, see ``/BundleStore/Release/filesDigest()``, because their publisher has signed it; nil
    /// for any.
    package var expectedFiles: Digest?
    /// Whether the files have to be signed, and not only where the bundle's feed is trusted by a root: without ``expectedFiles`` nothing is
    /// installed then.
    package var requiresTrust = false
    /// The bundles whose files have to be signed besides those whose feed is trusted by a root: the program has a root for each, which may
    /// not be known to the store yet.
    package var signedBundles: Set<BundleName> = []
    /// Whether the archive is shipped with the app, so that the app's signature vouches for it.
    package var isPartOfApp = false
    /// What the archive is called in errors; nil for its path.
    package var sourceName: String?
    /// Whether the release becomes active.
    public var activates = true
    /// Whether the release is shipped with an app, as the last resort: it is never pruned, and a higher active version, or one
    /// that was left, stays active or left. An earlier release that was shipped is none any more.
    public var isSeed = false
    /// Whether it may replace the same version with different content.
    public var replaces = false
    /// The bundles whose URLs the release may claim, besides those that its bundle's active release already claims.
    public var permittedOverlaps: Set<BundleName> = []
    /// Whether to keep the version that a rollback would activate afterwards; the installation is then refused when the
    /// quota has no room for both.
    public var keepsPrevious = true
    /// Called with the bundle as it is, nil when there is none, while it is locked and before the release is added; what it
    /// throws ends the installation.
    package var precondition: @Sendable (InstalledBundle?) throws -> Void = { _ in }
    /// Whether to wait for another process that works on the store, instead of failing with `storeBusy`.
    public var waits = false
    /// The encoding of names that the archive doesn't mark as UTF-8; nil to refuse names that aren't UTF-8.
    public var charset: ArchiveCharset?
    /// The size limits, enforced while the archive is read.
    public var limits = ArchiveLimits()

    /// The maximum length in bytes of an archive to fetch. The 2,048 bytes allowed for each entry cover the headers and
    /// the padding of a tar, and those of a zip unless its names are very long.
    public var maximumArchiveByteCount: Int64 {
        let headers = Int64(clamping: limits.maximumEntryCount).multipliedReportingOverflow(by: 2_048)
        let (sum, overflow) = limits.maximumTotalByteCount.addingReportingOverflow(headers.partialValue)
        return headers.overflow || overflow ? .max : sum
    }

    /// Creates the default options.
    public init() {}
}

extension ArchiveReader {
    /// Opens an archive as the options say.
    ///
    /// - Throws: As ``/BundleArchive/ArchiveReader/init(path:formats:limits:charset:)``.
    convenience init(_ path: String, _ formats: ArchiveFormats, _ options: InstallOptions) throws(ArchiveError) {
        try self.init(path: path, formats: formats, limits: options.limits, charset: options.charset)
    }
}

/// A manifest in a file of its own, which counts in place of that of an archive or a folder.
///
/// A value type; safe to share between threads.
package struct ManifestFile: Sendable {
    /// The file, as messages show it.
    package let name: String
    package let content: [UInt8]

    /// Reads a file. Its content isn't checked: a packer may set the name and the version that it lacks.
    ///
    /// - Parameter path: The file's path, absolute or from the current directory.
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when it can't be read, or isn't a regular file.
    package init(_ path: String) throws(BundleError) {
        name = Printable.line(path)
        content = try InputDocument(path, atMost: BundleManifest.maximumByteCount).bytes
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidManifest`, naming the file.
    package func parse() throws(BundleError) -> ParsedManifest {
        try BundleManifest.parse(content, named: name)
    }
}

/// The result of an installation.
public struct InstallReport: Sendable, Encodable {
    /// The bundle.
    public let name: BundleName
    /// The version.
    public let version: BundleVersion
    /// Whether anything changed.
    public let outcome: InstallOutcome
    /// The number of files in the release.
    public let fileCount: Int
    /// The sum of the files' lengths in bytes.
    public let byteCount: UInt64
    /// The number of content bytes that the store didn't have before.
    public let newByteCount: UInt64
    /// Harmless oddities, such as unknown keys in the manifest.
    public package(set) var warnings: [String]
    /// What was removed because the quota had no room for it.
    public let quotaRemoval: QuotaRemoval
    /// For a folder, its files and folders that were left out, as in `PackReport.leftOut` of `BundlePublishing`; nil for an archive.
    public package(set) var leftOut: [String]?

    private enum CodingKeys: CodingKey {
        case name, version, outcome, fileCount, byteCount, newByteCount, warnings, leftOut
    }
}

extension InstallReport {
    /// The report for a release that was installed before.
    package init(present release: Release, _ outcome: InstallOutcome) {
        self.init(
            name: release.name,
            version: release.version,
            outcome: outcome,
            fileCount: release.fileCount,
            byteCount: UInt64(clamping: release.byteCount),
            newByteCount: 0,
            warnings: [],
            quotaRemoval: QuotaRemoval()
        )
    }
}
