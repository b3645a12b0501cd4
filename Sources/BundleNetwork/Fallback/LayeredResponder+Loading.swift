import BundleServing
import BundleStore
import HTTPTypes

extension LayeredResponder {
    /// Makes the responder of an app. Unless `policy` says otherwise, the cache has one user, and keeps what is private too.
    ///
    /// - Parameters:
    ///   - store: The bundles, and where responses from the network are kept.
    ///   - transport: The network, or nil to stay offline.
    ///   - policy: The rules of caching.
    ///   - addresses: Where bundles are served besides their origins.
    ///   - maximumCachedByteCount: The longest body that is kept, in bytes. Default: 64 MiB.
    public init(
        _ store: BundleStore,
        transport: (any OriginTransport)?,
        policy: CachePolicy = CachePolicy(isShared: false),
        addresses: BundleAddresses = BundleAddresses(),
        maximumCachedByteCount: Int64 = 64 << 20
    ) {
        self.init(
            LiveResolver(store, addresses: addresses),
            store: store,
            transport: transport,
            policy: policy,
            maximumCachedByteCount: maximumCachedByteCount
        )
    }

    /// Loads a URL from the layers in order, as an app does that makes its own requests. What this or another process
    /// has installed or activated since is used; while the store can't be read, what was last known.
    ///
    /// - Parameters:
    ///   - url: An `http` or `https` URL.
    ///   - isPage: Whether a page is being opened: a client-side route or the offline page may stand in for it then.
    /// - Returns: A response in any case. Its status tells whether a layer has the URL: 404 or 504 when none does.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when `url` is no `http` or `https` URL.
    public func load(_ url: String, isPage: Bool = false) async throws(BundleError) -> ServedResponse {
        guard let target = RequestTarget(url: url), let scheme = target.scheme, let authority = target.authority else {
            throw BundleError(.invalidArgument, "“\(Printable.text(url))” is not an http or https URL; correct it")
        }
        _ = try? resolver.refresh()
        let fields: HTTPFields = isPage ? [.secFetchMode: "navigate", .secFetchDest: "document"] : [:]
        return await respond(
            to: HTTPRequest(
                method: .get,
                scheme: scheme,
                authority: authority,
                path: target.path + target.query,
                headerFields: fields
            )
        )
    }
}
