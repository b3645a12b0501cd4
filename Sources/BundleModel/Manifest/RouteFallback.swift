/// The page served for navigations to client-side routes of a single-page app: there is no file `product/42`, but the
/// app's page shows it. A value type; safe to share between threads.
public struct RouteFallback: Equatable, Sendable {
    /// The keys of a fallback in `bundle.json`.
    enum Key: String, CaseIterable {
        case file
        case routes
    }

    /// The routes when the manifest names none: all of them.
    public static let defaultRoutes = [PathPattern.everything]

    /// The page that is served.
    public let file: BundlePath
    /// The navigations that it is served for.
    public let routes: [PathPattern]

    private let patterns: PathPatternSet

    /// Serves `file` for navigations to `routes`.
    public init(file: BundlePath, routes: [PathPattern] = RouteFallback.defaultRoutes) {
        self.file = file
        self.routes = routes
        patterns = PathPatternSet(routes)
    }

    /// Whether ``covers(_:)`` takes only microseconds for a path of `byteCount` bytes.
    package func coversQuickly(pathOf byteCount: Int) -> Bool { patterns.coversQuickly(pathOf: byteCount) }

    /// A measure for comparing how long ``covers(_:)`` takes.
    package var comparedByteCount: Int { patterns.comparedByteCount }

    /// Whether one of the routes covers `path`. The caller must know that the request is a navigation.
    public func covers(_ path: BundlePath) -> Bool {
        patterns.covers(path)
    }
}
