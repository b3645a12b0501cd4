import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Passes on requests that only the origin can respond to: other methods than GET and HEAD, and switches of protocols.
/// A value type; safe to share between threads.
struct RequestPassing: Sendable {
    let results: FallbackResults
    /// The name for `Via`; nil inside an app, which is the client itself.
    let pseudonym: String?

    private var cache: ResponseCache { results.cache }

    /// Passes a request on, its content as the client sends it, and the response as the origin sends it.
    ///
    /// - Parameters:
    ///   - fetcher: Nil without a network.
    ///   - client: The client's side of it.
    func pass(
        _ missing: MissingResource,
        by fetcher: OriginFetcher?,
        from client: ClientExchange
    ) async -> FallbackResult {
        guard let target = OriginTarget(missing.url) else { return .nothing(.invalidURL) }
        guard let fetcher else { return .nothing(.offline(hasCopy: false)) }
        let call = call(for: missing, target, missing.confined(client))
        let requestTime = results.now()
        do {
            let response = try await fetcher.pass(call, url: missing.url)
                .selected(byAddressUnder: missing.match.release, to: call.request.method)
            return passed(response, missing, call.request, requestTime)
        } catch {
            return .nothing(Unavailability(error, hasCopy: false))
        }
    }

    private func call(for missing: MissingResource, _ target: OriginTarget, _ client: ClientExchange) -> OriginCall {
        var request = OriginRequest.passing(
            missing.request,
            target: target,
            forwarding: missing.match.release.manifest.forwardedFields,
            pseudonym: pseudonym,
            hasContent: client.content != nil
        )
        missing.address?.apply(to: &request.headerFields)
        if let rule = missing.rule { request.headerFields = rule.requestFields(request.headerFields) }
        var call = OriginCall(request)
        call.connectTo = missing.rule?.connectTo.map(ConnectTarget.init)
        call.content = client.content
        call.onInterim = client.sendInterim
        return call
    }

    /// Not inlined: its variables would stay in memory for as long as the request waits.
    @inline(never)
    private func passed(
        _ response: OriginResponse,
        _ missing: MissingResource,
        _ request: HTTPRequest,
        _ requestTime: Date
    ) -> FallbackResult {
        let release = missing.match.release
        invalidate(after: missing.request, response.head, url: missing.url, under: release)
        if let tunnel = response.tunnel { return .switching(response.head, tunnel) }
        guard missing.rule?.strategy != .networkOnly else {
            return results.passing(response.head, response.body, .method)
        }
        let exchange = OriginExchange(
            url: missing.url,
            request: request,
            requestTime: requestTime,
            response: response.head,
            responseTime: results.now()
        )
        return keeping(exchange, response.body, under: release)
    }

    /// Passes a response on, and stores it for later GETs if that is allowed.
    private func keeping(_ exchange: OriginExchange, _ body: BodyStream, under release: Release) -> FallbackResult {
        guard let exchange = cache.policy.asGet(exchange), cache.mayKeep(exchange) else {
            return results.passing(exchange.response, body, .method)
        }
        let key = CacheKey(exchange.url, ignoring: release.manifest.ignoredParameters).text
        return results.storing(exchange, body, key: key, under: release, .method)
    }

    /// Removes what a request has made invalid.
    private func invalidate(after request: HTTPRequest, _ response: HTTPResponse, url: String, under release: Release) {
        let urls = CacheInvalidation.urls(after: request.method, to: url, response: response)
        guard !urls.isEmpty else { return }
        let ignored = release.manifest.ignoredParameters
        cache.invalidate(urls.map { CacheKey($0, ignoring: ignored).text }, under: release)
    }
}

extension OriginRequest {
    /// The client's request, addressed to `target`, when only the origin can respond to it: with the fields of its content,
    /// its preconditions and its codings, and with the switch to WebSocket if it asks for that.
    /// An extended CONNECT becomes an upgrade (RFC 8441 §5), since HTTP/1.1 is spoken to origins.
    ///
    /// - Parameter hasContent: Whether the request has content.
    static func passing(
        _ request: HTTPRequest,
        target: OriginTarget,
        forwarding forwarded: [String],
        pseudonym: String?,
        hasContent: Bool
    ) -> HTTPRequest {
        var result = make(from: request, target: target, forwarding: forwarded, pseudonym: pseudonym)
        for name in conditionalFields { result.headerFields[fields: name] = request.headerFields[fields: name] }
        if hasContent {
            for name in contentFields { result.headerFields[fields: name] = request.headerFields[fields: name] }
        }
        if request.asksForWebSocket {
            result.headerFields[.connection] = "Upgrade"
            result.headerFields[.upgrade] = HTTPRequest.webSocket
        }
        if request.method == .connect { addHandshake(to: &result) }
        return result
    }

    private static let conditionalFields = [.acceptEncoding] + DecidingField.conditions.map(\.name)

    private static let contentFields: [HTTPField.Name] = [.contentLength, .expect]

    /// The handshake of RFC 6455 §4.1, whose key the client of an extended CONNECT doesn't have.
    private static func addHandshake(to request: inout HTTPRequest) {
        request.method = .get
        let key = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        request.headerFields[.secWebSocketKey] = Data(key).base64EncodedString()
    }
}
