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

    /// Those that this machine has everything for.
    static var available: [SurfaceKind] { allCases.filter { $0 != .webView || ShellWindow.canRun } }

    var description: String { rawValue }
}
