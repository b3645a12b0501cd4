import BundleServing
import BundleStore
import BundleUsage
import HTTPTypes

extension LayeredResponder {
    /// Makes the responder of an app.
    ///
    /// - Parameters:
    ///   - store: The bundles, and where responses from the network are kept.
    ///   - transport: The network, or nil to stay offline.
    ///   - policy: The rules of caching. Default: those of a cache of one user, the app's. What is private to the user is
    ///     stored with a mark, so that an endpoint with several users never serves it from the same store; no other user
    ///     may read the store itself.
    ///   - addresses: Where bundles are served besides their origins.
    ///   - maximumCachedByteCount: The longest body that is kept, in bytes. Default: 64 MiB.
    ///   - networkRules: The network rules for all bundles, which come before those of their manifests; see
    ///     ``CommonRules/read(_:)``. Default: none.
    ///   - isDevelopment: Whether network rules with `mock` apply. Default: false.
    ///   - link: Whether the link is metered; the app may change it at any time.
    ///   - retries: How requests are repeated that got no response.
    ///   - countsUse: Whether the store's statistics count the requests; see ``/BundleUsage/UsageReport``. Default: true.
    public init(
        _ store: BundleStore,
        transport: (any OriginTransport)?,
        policy: CachePolicy = CachePolicy(isShared: false),
        addresses: BundleAddresses = BundleAddresses(),
        maximumCachedByteCount: Int64 = 64 << 20,
        networkRules: CommonRules = CommonRules(),
        isDevelopment: Bool = false,
        link: NetworkLink = NetworkLink(),
        retries: RetryPolicy = RetryPolicy(),
        countsUse: Bool = true
    ) {
        var limits = FetchLimits()
        limits.retries = retries
        self.init(
            LiveResolver(store, addresses: addresses),
            store: store,
            transport: transport,
            policy: policy,
            maximumCachedByteCount: maximumCachedByteCount,
            rules: NetworkRuling(networkRules, RuleConditions(isDevelopment: isDevelopment), link: link),
            limits: limits,
            usage: countsUse ? UsageRecorder(store, every: UsageRecorder.defaultInterval) : nil,
            isGateway: false
        )
    }

    /// Writes the statistics that have been counted. Otherwise they are written about a minute after a request, and when
    /// the last copy of the responder is released. Does nothing when the store can't be written.
    public func flushStatistics() async { await usage?.flush() }

    /// Counts a response that ``begin(_:hasAllFields:)`` has begun: what a server counts of its connections, an app's client
    /// counts here.
    package func counting(_ response: ServedResponse) -> ServedResponse { usage?.counting(response) ?? response }

    /// What this responder has seen of the origins since it was made, by name: at most 256, those that were asked last.
    /// What other responders and processes have seen isn't in it.
    ///
    /// For an app that shows which origins are out, since when, and when they are asked again. Reading it waits for
    /// nothing and asks nobody; it may be read on any thread, as often as necessary.
    public var originStates: [OriginState] { fallback.breaker.states }

    /// Loads a URL from the layers in order, as an app does that makes its own requests, by the app's network rules and
    /// those of the bundle's manifest. What this or another process has installed or activated since is used; while the
    /// store can't be read, what was last known.
    ///
    /// - Parameters:
    ///   - url: An `http` or `https` URL.
    ///   - isPage: Whether a page is being opened: a client-side route or the offline page may stand in for it then.
    /// - Returns: A response in any case. The status is 404 or 504 when no layer has the URL, 301 for a folder of a bundle
    ///   without its last slash, 500 for a damaged file; redirects aren't followed. What an origin responds has its status.
    ///   Cancelling the task doesn't end a request that the origin hasn't responded to yet.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when `url` is no `http` or `https` URL, or has a
    ///   space or a control character.
    public func load(_ url: String, isPage: Bool = false) async throws(BundleError) -> ServedResponse {
        let request = try HTTPRequest(loading: url, isPage: isPage)
        _ = try? resolver.refresh()
        return await respond(to: request)
    }
}

extension HTTPRequest {
    /// The request of an app that loads a URL.
    ///
    /// - Parameters:
    ///   - url: An `http` or `https` URL; a fragment is ignored.
    ///   - isPage: Whether a page is being opened.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when `url` is no `http` or `https` URL, or has a
    ///   space or a control character.
    package init(
        loading url: String,
        method: HTTPRequest.Method = .get,
        isPage: Bool = false
    ) throws(BundleError) {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), let target = RequestTarget(url: url),
            let scheme = target.scheme, let authority = target.authority
        else {
            throw BundleError(.invalidArgument, "“\(Printable.text(url))” is not an http or https URL; correct it")
        }
        self.init(
            method: method,
            scheme: scheme,
            authority: authority,
            path: target.path + target.query,
            headerFields: isPage ? [.secFetchMode: "navigate", .secFetchDest: "document"] : [:]
        )
    }
}
