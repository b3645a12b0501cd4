import BundleStore

/// The result of ``Packer``.
public struct PackReport: Sendable {
    /// The manifest in the folder's `bundle.json`.
    public let manifest: BundleManifest
    /// The number of files.
    public let fileCount: Int
    /// The sum of the files' lengths in bytes.
    public let byteCount: Int64
    /// The number of files that were left out because they weren't on the list.
    public let excludedFileCount: Int
    /// The files and folders that were left out because they are hidden, `node_modules`, or excluded; folders end in a
    /// slash, and what lies in them isn't listed.
    public let leftOut: [String]
    /// Harmless oddities, such as unknown keys in the manifest.
    public let warnings: [String]
}
