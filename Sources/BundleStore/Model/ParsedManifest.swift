/// A manifest, and what its author should know about it although it doesn't stop the installation.
public struct ParsedManifest: Equatable, Sendable {
    /// The manifest.
    public let manifest: BundleManifest
    /// One line for each key that isn't known, naming it with its place. In the order of the text.
    public let warnings: [String]
}
