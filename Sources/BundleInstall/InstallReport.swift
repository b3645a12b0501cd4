import BundleStore

/// What an installation did.
public struct InstallReport: Sendable {
    /// The bundle.
    public let name: BundleName
    /// The version.
    public let version: BundleVersion
    /// Whether anything changed.
    public let outcome: ReleaseIngest.Outcome
    /// The number of files in the release.
    public let fileCount: Int
    /// The sum of the files' lengths in bytes.
    public let byteCount: UInt64
    /// The bytes of content that the store didn't have before.
    public let newByteCount: UInt64
    /// What was odd and harmless, such as unknown keys in the manifest.
    public let warnings: [String]
    /// What was given up because the quota had no room for it any more.
    public let quotaRemoval: QuotaRemoval
}
