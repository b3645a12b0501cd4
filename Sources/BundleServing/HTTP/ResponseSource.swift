import BundleStore

/// Where a response came from, for logs and metrics. A value type; safe to share between threads.
public struct ResponseSource: Sendable {
    /// The layer that answered.
    public enum Layer: String, Sendable, CaseIterable {
        /// A file of the active release, or a redirect to a folder of it.
        case active
        /// A file of an earlier release.
        case retained
        /// What is stored, and fresh.
        case cache
        /// The origin, which was asked, if only whether what is stored is still right.
        case network
        /// What is stored, though it isn't fresh any more.
        case stale
        /// None: a 404 or 504, the offline page included.
        case miss
        /// The server itself, which needs no layer to answer OPTIONS or to refuse a request.
        case server
    }

    /// The layer.
    public let layer: Layer
    /// The release whose file answers, else the active one of the bundle that covers the URL; nil when none does.
    public let release: Release?

    /// Joins a layer and a release.
    public init(_ layer: Layer, _ release: Release? = nil) {
        self.layer = layer
        self.release = release
    }
}
