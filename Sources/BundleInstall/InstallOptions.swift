import BundleArchive
import BundleStore

/// How an archive is to be installed.
public struct InstallOptions: Sendable {
    /// What the manifest is to be when the archive has none; without it such an archive is refused. It may not be given
    /// for an archive that has a manifest and another name or version.
    public var manifest: BundleManifest?
    /// The name and version that the archive was advertised with. Another name or version inside is refused.
    public var expected: (name: BundleName, version: BundleVersion)?
    /// Whether the release becomes the active one.
    public var activates = true
    /// Whether it may take the place of the same version with other content.
    public var replaces = false
    /// The bundles whose URLs the release may claim, besides those that its bundle's active release claims already.
    public var permittedOverlaps: Set<BundleName> = []
    /// Whether the version that a rollback leads to afterwards is kept; an installation is then refused when the quota
    /// has no room for both.
    public var keepsPrevious = true
    /// Whether to wait for another process that works on the store, instead of failing with `storeBusy`.
    public var waits = false
    /// The encoding of the names that the archive doesn't mark as UTF-8; nil to refuse names that aren't UTF-8.
    public var charset: ArchiveCharset?
    /// What is refused for its size, while it is read.
    public var limits = ArchiveLimits()

    /// The length in bytes above which no archive is fetched. The 2,048 bytes that are allowed for each entry cover the
    /// headers and the padding of a tar, and those of a zip unless its names are very long.
    public var maximumArchiveByteCount: Int64 {
        let headers = Int64(clamping: limits.maximumEntryCount).multipliedReportingOverflow(by: 2_048)
        let (sum, overflow) = limits.maximumTotalByteCount.addingReportingOverflow(headers.partialValue)
        return headers.overflow || overflow ? .max : sum
    }

    /// The defaults.
    public init() {}
}
