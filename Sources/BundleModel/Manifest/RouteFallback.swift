/// What answers a navigation to a client-side route of a single-page app: there is no file `product/42`, and the app's
/// page shows it. A value type; safe to share between threads.
public struct RouteFallback: Equatable, Sendable {
    /// The keys of a fallback in `bundle.json`.
    enum Key: String, CaseIterable {
        case file
        case routes
    }

    /// The routes when the manifest names none: all of them.
    public static let defaultRoutes = [PathPattern.everything]

    /// The page that answers.
    public let file: BundlePath
    /// The navigations that it answers.
    public let routes: [PathPattern]

    private let patterns: PathPatternSet

    /// Lets `file` answer navigations to `routes`.
    public init(file: BundlePath, routes: [PathPattern] = RouteFallback.defaultRoutes) {
        self.file = file
        self.routes = routes
        patterns = PathPatternSet(routes)
    }

    /// Whether ``covers(_:)`` takes microseconds for a path of `byteCount` bytes.
    package func coversQuickly(pathOf byteCount: Int) -> Bool { patterns.coversQuickly(pathOf: byteCount) }

    /// By how much it takes longer than another to tell whether a path is covered.
    package var comparedByteCount: Int { patterns.comparedByteCount }

    /// Whether one of the routes covers `path`. That the request is a navigation is for the caller to know.
    public func covers(_ path: BundlePath) -> Bool {
        patterns.covers(path)
    }
}
