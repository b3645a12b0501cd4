import BundleEmbedding
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How ``BundleURLProtocol`` uses a client. A value type; safe to share between threads.
public struct LoadingOptions: Sendable {
    /// A scheme of the app's own, in lower case: `app://shop/a/b` is the file `a/b` of the bundle `shop`, or what its layers
    /// respond in its place. Default: none.
    public var scheme: String?
    /// Where cookies are kept for sessions that don't tell which storage they have: those of Apple's systems. Nil for nowhere.
    /// Default: the shared storage.
    public var cookieStorage: HTTPCookieStorage? = .shared

    /// The default options.
    public init() {}

    /// Whether a URL has the app's own scheme.
    func hasScheme(of url: URL) -> Bool { scheme != nil && url.scheme?.lowercased() == scheme }

    /// Whether a target is that of a URL with the app's own scheme, of which the layers know nothing.
    func isOwn(_ target: RequestTarget) -> Bool { scheme != nil && target.scheme == nil }
}
