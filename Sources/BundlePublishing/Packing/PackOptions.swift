import BundleInstall
import BundleStore

/// Which files of a folder ``Packer`` packs, and as which release.
///
/// A value type; safe to share between threads.
public struct PackOptions: Sendable {
    /// Which files are packed; nil for all. What is on it and not in the folder is a warning.
    public var list: IncludeList?
    /// What is left out besides the folder's `.bundleignore`, after which these count.
    public var excluded: [IgnorePattern] = []
    /// What is packed though it would be left out, or refused because it looks like a secret.
    public var included: [IgnorePattern] = []
    /// The name in the archive's manifest, in place of the folder's; nil for that one.
    public var name: BundleName?
    /// The version in the archive's manifest, in place of the folder's; nil for that one.
    public var version: BundleVersion?
    /// The manifest for a folder without one; if nil, such a folder is refused.
    public var manifest: BundleManifest?
    /// The manifest that counts in place of the folder's own, which may then be wrong or missing.
    package var manifestFile: ManifestFile?
    /// What is packed besides the folder's files.
    package var addition: PackAddition?
    /// How many threads compress; nil for one for each processor.
    package var threadCount: Int?

    /// Creates the options that pack all but hidden files and `node_modules`.
    public init() {}
}
