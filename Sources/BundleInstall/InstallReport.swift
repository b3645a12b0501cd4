import BundleStore

/// The result of an installation.
public struct InstallReport: Sendable {
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
    /// For a folder, its files and folders that were left out, as in ``PackReport/leftOut``; nil for an archive.
    public package(set) var leftOut: [String]?
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
