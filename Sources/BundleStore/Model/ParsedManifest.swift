/// A manifest, and what its author should know about it although it doesn't stop the installation.
public struct ParsedManifest: Equatable, Sendable {
    /// The manifest.
    public let manifest: BundleManifest
    /// One line for each unknown key, and for each field that a bundle may not set, naming it with its place.
    public let warnings: [String]
}
