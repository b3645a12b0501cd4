import BundleStore

/// What ``Packer`` packed.
public struct PackReport: Sendable {
    /// What the folder's `bundle.json` says.
    public let manifest: BundleManifest
    /// The number of files.
    public let fileCount: Int
    /// The sum of the files' lengths in bytes.
    public let byteCount: Int64
    /// What was odd and harmless, such as unknown keys in the manifest.
    public let warnings: [String]
}
