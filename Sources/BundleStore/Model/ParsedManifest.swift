/// A manifest, and what its author should know about it although it doesn't stop the installation.
public struct ParsedManifest: Equatable, Sendable {
    /// The manifest.
    public let manifest: BundleManifest
    /// One line for each key that isn't known, and for each field that isn't for a bundle to set, naming it with its place.
    public let warnings: [String]
}
