import BundleServing
import BundleStore
import HTTPTypes

/// Requests that only the origin can respond to: other methods than GET and HEAD, and switches of protocols.
extension OriginFallback {
    /// Passes a request on, its content as the client sends it, and the response as the origin sends it.
    ///
    /// - Parameters:
    ///   - request: The client's request.
    ///   - client: The client's side of it.
    ///   - url: Its URL on the network.
    ///   - release: The active release of the bundle that covers the URL.
    ///   - rule: The network rule that applies.
    func pass(
        _ request: HTTPRequest,
        from client: ClientExchange,
        url: String,
        under release: Release,
        _ rule: RuleDecision? = nil
    ) async -> Result {
        guard let target = OriginTarget(url) else { return .nothing(.invalidURL) }
        var originRequest = OriginRequest.passing(
            request,
            target: target,
            forwarding: release.manifest.forwardedFields,
            pseudonym: pseudonym,
            hasContent: client.content != nil
        )
        guard let fetcher else { return .nothing(.offline(hasCopy: false)) }
        if let rule { originRequest.headerFields = rule.requestFields(originRequest.headerFields) }
        var call = OriginCall(originRequest)
        call.connectTo = rule?.connectTo.map(ConnectTarget.init)
        call.content = client.content
        call.onInterim = client.sendInterim
        let requestTime = now()
        do {
            let response = try await fetcher.pass(call, url: url)
            invalidate(after: request, response.head, url: url, under: release)
            if let tunnel = response.tunnel { return .switching(response.head, tunnel) }
            let exchange = OriginExchange(
                url: url,
                request: originRequest,
                requestTime: requestTime,
                response: response.head,
                responseTime: now()
            )
            guard rule?.strategy != .networkOnly else { return passing(response.head, response.body, .method) }
            return keeping(exchange, response.body, under: release)
        } catch {
            return .nothing(Unavailability(error, hasCopy: false))
        }
    }

    /// Passes a response on, and stores it for later GETs if that is allowed.
    private func keeping(_ exchange: OriginExchange, _ body: BodyStream, under release: Release) -> Result {
        guard let exchange = cache.policy.asGet(exchange), cache.mayKeep(exchange) else {
            return passing(exchange.response, body, .method)
        }
        let key = CacheKey(exchange.url, ignoring: release.manifest.ignoredParameters).text
        return storing(exchange, body, key: key, under: release, .method)
    }

    /// Removes what a request has made invalid.
    private func invalidate(after request: HTTPRequest, _ response: HTTPResponse, url: String, under release: Release) {
        let urls = CacheInvalidation.urls(after: request.method, to: url, response: response)
        guard !urls.isEmpty else { return }
        let ignored = release.manifest.ignoredParameters
        cache.invalidate(urls.map { CacheKey($0, ignoring: ignored).text }, under: release)
    }
}
