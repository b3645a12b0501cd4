import BundleTesting

/// The ways in, which all have to give the same responses.
enum SurfaceKind: String, CaseIterable, Sendable, CustomStringConvertible {
    /// `bundlectl serve`, over HTTP/1.1.
    case endpoint
    /// `BundleClient`, in Swift.
    case library
    /// The functions of `offline_bundles.h`.
    case c = "C"
    /// `URLSession` with `BundleURLProtocol`.
    case urlProtocol = "URLProtocol"

    /// A page in the window of `hybrid-shell`.
    case webView = "web view"

    #if canImport(BundleCInterface)
        /// Those that this machine has everything for.
        static var available: [SurfaceKind] { allCases.filter { $0 != .webView || ShellWindow.canRun } }
    #else
        /// Those of an app on Apple's systems, see `scripts/check-apple`.
        static let available = [SurfaceKind.library, .urlProtocol]
    #endif

    var description: String { rawValue }

    func open(_ world: SurfaceWorld) async throws -> any Surface {
        switch self {
        case .library: try LibrarySurface(world)
        case .urlProtocol: try URLProtocolSurface(world)
        #if canImport(BundleCInterface)
            case .endpoint: try await EndpointSurface(world)
            case .c: try CSurface(world)
            case .webView: try await WebViewSurface(world)
        #else
            case .endpoint, .c, .webView: throw NoSuchStep()
        #endif
        }
    }
}

/// The surface has no such step: the row says why.
struct NoSuchStep: Error {}

/// One way in, opened on a store.
protocol Surface: Sendable {
    /// Sends a request for a target below the bundle's origin, without following redirects.
    ///
    /// - Throws: What the surface has in place of a response.
    func send(_ request: ConformanceRequest) async throws -> RawResponse

    /// Takes the version that is highest in the feed.
    func update() async throws

    /// Makes the version before active again.
    func rollBack() async throws

    /// Replaces the app's network rules, which come before those of the manifest.
    ///
    /// - Parameter json: As a manifest's member `network`.
    func setRules(_ json: String) async throws

    func close() async throws
}
