import BundleEmbedding
import Foundation
import HTTPCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Loads what a `URLSession` asks for from the layers of a ``/BundleEmbedding/BundleClient``: bundled file, cache, network with
/// caching, offline.
///
///     let configuration = URLSessionConfiguration.default
///     BundleURLProtocol.install(client, in: configuration)
///     let session = URLSession(configuration: configuration)
///
/// See <doc:Loading> for what a session gets, and for what is different on Linux.
public class BundleURLProtocol: URLProtocol {
    private static let mark = "org.offline-bundles.request"

    private var load: URLLoad?
    private var isStopped = false

    /// Whether a client is responsible for the URL: false for a request that the library makes itself.
    public override class func canInit(with request: URLRequest) -> Bool {
        // Foundation holds a lock meanwhile on Linux: nothing here may make a session or a configuration.
        guard let url = request.url, property(forKey: mark, in: request) == nil else { return false }
        return ClientRegistry.shared.responsible(of: self, for: url, request) != nil
    }

    /// The request itself: what makes two of them the same is decided by the client's cache.
    public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Whether requests have one response in `URLCache`: never, responses are in the client's cache.
    public override class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { false }

    /// Begins to load, or goes on after the task was suspended.
    public override func startLoading() {
        // On Linux a task that is cancelled as it starts may stop before.
        guard !isStopped else { return }
        if let load { return load.resume() }
        guard let url = request.url,
            let responsible = ClientRegistry.shared.responsible(of: Self.self, for: url, request)
        else {
            // The client was closed meanwhile.
            client?.urlProtocol(self, didFailWithError: URLError(.cancelled))
            return
        }
        let load = URLLoad(self, responsible)
        self.load = load
        load.start()
    }

    /// Ends the load: the session hears no more of it.
    public override func stopLoading() {
        guard !isOnlySuspended else {
            load?.pause()
            return
        }
        #if canImport(FoundationNetworking)
            // A task that is cancelled while it ends is told that after it has been forgotten, which would end the process.
            if load?.isRunning == false { client = nil }
        #endif
        isStopped = true
        load?.stop()
        load = nil
    }

    /// Linux stops a load whose task is suspended, and starts it again with the task.
    private var isOnlySuspended: Bool {
        #if canImport(FoundationNetworking)
            task?.state == .suspended || task?.state == .running
        #else
            false
        #endif
    }

    /// Marks a request that the library makes itself, so that it isn't taken again.
    static func mark(_ request: inout URLRequest) {
        // Linux drops these properties; there the transport's sessions are without this class.
        guard let copy = (request as NSURLRequest).mutableCopy() as? NSMutableURLRequest else { return }
        setProperty(true, forKey: mark, in: copy)
        request = copy as URLRequest
    }
}

/// Which client loads for which sessions.
extension BundleURLProtocol {
    /// Makes the sessions that are made with a configuration load by a client, and no others.
    ///
    /// The client is retained until ``/BundleEmbedding/BundleClient/close()``. After that, the sessions load without it. Each call makes
    /// a class, which is kept too: install a client once, and make further sessions with copies of the configuration.
    ///
    /// What the client loads has the trust, the client's certificates and the proxies of its transport. The sessions' delegates aren't
    /// asked about them, so pins belong into ``URLSessionTransport``.
    ///
    /// - Parameters:
    ///   - client: Loads what it covers, see ``/BundleEmbedding/BundleClient/covers(_:)-(String)``; the rest is loaded as without it.
    ///   - configuration: Gets a class in front of its `protocolClasses`. Later copies of it have the class too. Its
    ///     storages of cookies and credentials, and which links it allows, are to be set before.
    ///   - options: How the client is used.
    public static func install(
        _ client: BundleClient,
        in configuration: URLSessionConfiguration,
        options: LoadingOptions = LoadingOptions()
    ) {
        var options = options
        options.cookies = CookieHandling(
            storage: configuration.httpShouldSetCookies ? configuration.httpCookieStorage : nil,
            accepts: configuration.httpCookieAcceptPolicy
        )
        options.credentials = configuration.urlCredentialStorage
        options.mayUseMeteredLink = configuration.mayUseMeteredLink
        let type = ClientRegistry.shared.addSession(client, options)
        configuration.protocolClasses = [type] + (configuration.protocolClasses ?? [])
    }

    /// Makes `URLSession.shared`, and on Apple's systems what uses the URL loading system without a session, load by a client.
    ///
    /// On Linux this has to precede the first use of `URLSession.shared`, which takes the registered classes then. Of several
    /// clients that cover a URL, the one that was registered last loads it. The client is retained until it is unregistered or
    /// closed.
    public static func register(_ client: BundleClient, options: LoadingOptions = LoadingOptions()) {
        ClientRegistry.shared.addGlobal(client, options)
        #if canImport(FoundationNetworking)
            // The classes are consulted in the order of their registration, and Foundation registers its own with the first
            // session of the process.
            let others = URLSessionConfiguration.default.protocolClasses ?? []
        #else
            let others: [AnyClass] = []
        #endif
        for type in others { unregisterClass(type) }
        for type in [BundleURLProtocol.self] + others { _ = registerClass(type) }
    }

    /// Undoes ``register(_:options:)``. Loads that have begun go on.
    public static func unregister(_ client: BundleClient) {
        ClientRegistry.shared.removeGlobal(client)
    }
}

/// How ``BundleURLProtocol`` uses a client. A value type; safe to share between threads.
public struct LoadingOptions: Sendable {
    /// A scheme of the app's own, in lower case: `app://shop/a/b` is the file `a/b` of the bundle `shop`, or what its layers
    /// respond in its place. Default: none.
    public var scheme: String?
    /// The cookies of sessions that don't tell which they have: those of Apple's systems.
    var cookies = CookieHandling(storage: .shared, accepts: .onlyFromMainDocumentDomain)
    /// The credentials of such sessions; nil for none.
    var credentials: URLCredentialStorage? = .shared
    /// Whether such sessions may use a metered link.
    var mayUseMeteredLink = true

    /// Which requests the client loads, of those that it covers: by suffix, host, or what else they have. Called by Foundation for
    /// each request, on any thread and under a lock of its own on Linux: it must not wait, nor use a session or a configuration.
    /// Default: all.
    public var takes: @Sendable (URLRequest) -> Bool = { _ in true }

    /// The default options.
    public init() {}

    /// Whether a URL has the app's own scheme.
    func hasScheme(of url: URL) -> Bool { scheme != nil && url.scheme?.lowercased() == scheme }

    /// Whether a target is that of a URL with the app's own scheme, of which the layers know nothing.
    func isOwn(_ target: RequestTarget) -> Bool { scheme != nil && target.scheme == nil }
}
