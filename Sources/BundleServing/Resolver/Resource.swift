import BundleStore

/// A bundled file that is served for a URL, and the rule that selected it. Holding it keeps its bytes readable.
///
/// Immutable; safe to share between threads.
public struct Resource: Sendable {
    /// Which release of the bundle has the file.
    public enum Layer: String, Sendable {
        /// The active one.
        case active
        /// An earlier one, requested by a page that is still open on it.
        case retained
    }

    /// The rule that selected the file.
    public enum Rule: String, Sendable {
        /// The path names the file.
        case path
        /// The path names the bundle's root, where the manifest's entry page is served.
        case entry
        /// The path names a folder, where its `index.html` is served.
        case index
        /// The path is a client-side route that the manifest's fallback covers.
        case fallback
        /// There is neither a file nor a network, and the manifest's offline page is served.
        case offlinePage
    }

    /// The file.
    public let asset: Asset
    /// Its bytes, as a part of the mapped store.
    public let contents: ByteSlice
    /// Which release has it.
    public let layer: Layer
    /// The rule that selected it.
    public let rule: Rule

    /// Returns nil when the file's bytes can't be read: a damaged file isn't served.
    init?(_ asset: Asset?, layer: Layer, rule: Rule) {
        guard let asset, let contents = asset.contents else { return nil }
        self.init(asset, contents, layer: layer, rule: rule)
    }

    /// - Parameter contents: The file's content, wherever it was found.
    init(_ asset: Asset, _ contents: ByteSlice, layer: Layer, rule: Rule) {
        self.asset = asset
        self.contents = contents
        self.layer = layer
        self.rule = rule
    }

    /// Whether its bytes or its metadata could not be read, see ``/BundleStore/ByteSlice/hasFaulted``: check it after
    /// use.
    public var hasFaulted: Bool { contents.hasFaulted || asset.release.hasFaulted }

    /// The value for `Content-Type`.
    public var mediaType: String { asset.mediaType }
}
