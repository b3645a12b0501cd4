import BundleArchive
import BundleStore

/// Options for installing an archive.
public struct InstallOptions: Sendable {
    /// The manifest for an archive without one; if nil, such an archive is refused. If the archive has a manifest, its
    /// name and version must be the same.
    public var manifest: BundleManifest?
    /// The manifest that counts in place of the archive's own, which may then be wrong or missing.
    package var manifestFile: ManifestFile?
    /// The advertised name and version of the archive. If the archive has others, it is refused.
    public var expected: (name: BundleName, version: BundleVersion)?
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
