import BundleStore

/// What a bundle says to a URL that it covers.
///
/// Immutable; safe to share between threads.
public struct ResourceMatch: Sendable {
    /// Why this bundle was asked.
    public enum Route: Sendable, Hashable, CustomStringConvertible {
        /// The URL starts with one of the bundle's origins.
        case origin(OriginMapping)
        /// The path starts with the bundle's name, or with a mount; its components.
        case mount([String])

        /// One phrase for people.
        public var description: String {
            switch self {
            case .origin(let mapping): "origin \(mapping)"
            case .mount(let components): "path /\(components.map { $0 + "/" }.joined())"
            }
        }
    }

    /// The answer.
    public enum Outcome: Sendable {
        /// A bundled file.
        case found(Resource)
        /// The URL names a folder without its slash; the path with it, and the query.
        case redirect(to: String)
        /// The bundle has nothing at this path.
        case missing
    }

    /// The bundle's active release.
    public let release: Release
    /// Why this bundle was asked.
    public let route: Route
    /// The decoded path inside the bundle, or nil for its root.
    public let path: BundlePath?
    /// Where the network has it: an absolute URL under one of the bundle's origins, or nil when none covers the path.
    public let originURL: String?
    /// The answer.
    public let outcome: Outcome

    /// The manifest's offline page, or nil when it has none.
    public var offlinePage: Resource? {
        release.manifest.offlinePage.flatMap { path in
            Resource(release.asset(at: path), layer: .active, rule: .offlinePage)
        }
    }
}
