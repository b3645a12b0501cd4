/// Which files of a folder ``Packer`` packs.
///
/// A value type; safe to share between threads.
public struct PackOptions: Sendable {
    /// Which files are packed; nil for all. What is on it and not in the folder is a warning.
    public var list: IncludeList?
    /// What is left out besides the folder's `.bundleignore`, after which these count.
    public var excluded: [IgnorePattern] = []
    /// What is packed though it would be left out, or refused because it looks like a secret.
    public var included: [IgnorePattern] = []

    /// Creates the options that pack all but hidden files and `node_modules`.
    public init() {}
}
