import BundleModel

/// Where a response came from, for logs and metrics. A value type; safe to share between threads.
public struct ResponseSource: Sendable {
    /// The layer that served the response.
    public enum Layer: String, Sendable, CaseIterable {
        /// A file of the active release, or a redirect to a folder of it.
        case active
        /// A file of an earlier release.
        case retained
        /// A fresh stored response.
        case cache
        /// The origin, which sent the response or confirmed the stored one.
        case network
        /// A stale stored response.
        case stale
        /// None: a 404 or 504, the offline page included.
        case miss
        /// The server itself, for OPTIONS and for refused requests.
        case server
    }

    /// The layer.
    public let layer: Layer
    /// The release whose file is served, otherwise the active release of the bundle that covers the URL; nil when none
    /// does.
    public let release: ReleaseName?
    /// Why no layer has the content, where the response is a line of text that says so; nil otherwise. For surfaces that
    /// report errors, and not responses.
    package var failure: Failure?
    /// The host of a request that was refused because the endpoint doesn't serve it; nil otherwise.
    package var refusedHost: String?
    /// What the coding of the content saves; nil for content as it is.
    package let saving: CodingSaving?

    /// Why there is nothing for what a bundle lacks.
    package enum Failure: Sendable {
        /// The URL isn't one that an origin could have.
        case invalidURL
        /// Only stored responses are allowed, and none satisfies the request.
        case onlyIfCached
        /// The network is switched off.
        case offline
        /// The network didn't respond.
        case noResponse(BundleError)
        /// The origin may not be connected to.
        case denied
    }

    /// Why no layer before it has served the response, in a few words; nil for a file of the active release.
    package var reason: String? {
        if let refusedHost { return "the host \(refusedHost) isn't allowed" }
        return switch (layer, failure) {
        case (_, .invalidURL): "no URL of an origin"
        case (_, .onlyIfCached): "only stored responses are allowed"
        case (_, .offline): "the network is switched off"
        case (_, .noResponse(let error)): error.problem
        case (_, .denied): "the origin may not be connected to"
        case (.active, nil): nil
        case (.retained, nil): "of the page's earlier release"
        case (.cache, nil): "not bundled, stored and fresh"
        case (.network, nil): "not bundled, not stored or not fresh"
        case (.stale, nil): "the network failed, stored"
        case (.miss, nil): "neither bundled nor stored nor at an origin"
        case (.server, nil): "the server's own response"
        }
    }

    /// Creates a source.
    public init(_ layer: Layer, _ release: ReleaseName? = nil) {
        self.init(layer, release, nil)
    }

    /// Creates the source of content in a coding.
    package init(_ layer: Layer, _ release: ReleaseName?, _ saving: CodingSaving?) {
        self.layer = layer
        self.release = release
        self.saving = saving
    }
}
