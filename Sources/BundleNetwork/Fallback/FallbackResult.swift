import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// What the cache and the network have for a request. A value type; safe to share between threads.
indirect enum FallbackResult: Sendable {
    /// A stored response, new or old.
    case stored(Representation, ResponseSource.Layer)
    /// A response from stored parts.
    case partial(Response, ResponseSource.Layer)
    /// A response that is still arriving from the origin.
    case passing(HTTPResponse, BodyStream)
    /// A switch of protocols.
    case switching(HTTPResponse, Tunnel)
    /// Nothing.
    case nothing(Unavailability)
}

/// Makes results of what the cache and the origin have. A value type; safe to share between threads.
struct FallbackResults: Sendable {
    let cache: ResponseCache
    /// How long a body from an origin may take.
    let timeLimit: Duration
    /// The clock of the time limit.
    let clock: any Clock<Duration>
    /// The clock of the cache.
    let now: @Sendable () -> Date

    func timeToLive(of variant: CachedVariant) -> TimeInterval {
        cache.policy.freshness(of: variant.response, now: now()).timeToLive
    }

    func hit(
        _ variant: CachedVariant,
        _ request: HTTPRequest,
        timeToLive: TimeInterval,
        _ layer: ResponseSource.Layer
    ) -> FallbackResult {
        response(with: variant, request, .hit, timeToLive: timeToLive, layer)
    }

    /// The stored response replaces that of an origin that failed, which is not a hit (RFC 9211 §2.1).
    func stale(_ variant: CachedVariant, _ request: HTTPRequest, _ outcome: CacheStatus.Outcome) -> FallbackResult {
        response(with: variant, request, outcome, timeToLive: timeToLive(of: variant), .stale)
    }

    private func response(
        with variant: CachedVariant,
        _ request: HTTPRequest,
        _ outcome: CacheStatus.Outcome,
        timeToLive: TimeInterval,
        _ layer: ResponseSource.Layer
    ) -> FallbackResult {
        let status = CacheStatus(outcome, timeToLive: Int(exactly: timeToLive.rounded(.down)), detail: layer.rawValue)
        return served(variant, request, status, layer)
    }

    /// The response from a variant.
    func served(
        _ variant: CachedVariant,
        _ request: HTTPRequest,
        _ status: CacheStatus,
        _ layer: ResponseSource.Layer
    ) -> FallbackResult {
        guard variant.body == nil else { return .stored(variant.representation(now: now(), status), layer) }
        return .partial(variant.response(to: request, now: now(), status), layer)
    }

    func passing(
        _ response: HTTPResponse,
        _ body: BodyStream,
        _ reason: CacheStatus.ForwardReason,
        isStored: Bool = false,
        isCollapsed: Bool = false
    ) -> FallbackResult {
        .passing(passed(response, reason, isStored: isStored, isCollapsed: isCollapsed), limited(body))
    }

    /// An origin's head as it is passed on.
    func passed(
        _ response: HTTPResponse,
        _ reason: CacheStatus.ForwardReason,
        isStored: Bool = false,
        isCollapsed: Bool = false
    ) -> HTTPResponse {
        let forwarded = CacheStatus.Outcome.forwarded(
            reason,
            status: response.status.code,
            stored: isStored,
            collapsed: isCollapsed
        )
        var head = response
        head.headerFields = head.headerFields.removingConnectionFields()
        head.headerFields[.xContentTypeOptions] = "nosniff"
        let status = CacheStatus(forwarded, detail: "network").fieldValue
        head.headerFields.append(HTTPField(name: .cacheStatus, value: status))
        return head
    }

    /// A body that breaks off when its time is over.
    private func limited(_ body: BodyStream) -> BodyStream {
        guard body.arrived == nil else { return body }
        let (elapsed, total) = (clock.stopwatch(), timeLimit)
        let chunks = body.map { chunk in
            guard elapsed() < total else {
                throw BundleError(.networkUnavailable, "the response took longer than \(total)")
            }
            return chunk
        }
        return BodyStream(chunks, trailers: { body.trailers })
    }

    /// Passes a response on, and stores it meanwhile.
    ///
    /// - Parameter head: What is passed on in place of the head that is stored.
    func storing(
        _ exchange: OriginExchange,
        _ body: BodyStream,
        key: String,
        under release: Release,
        passing head: HTTPResponse? = nil,
        _ reason: CacheStatus.ForwardReason
    ) -> FallbackResult {
        let chunks = cache.storing(body, of: exchange, key: key, under: release)
        let stored = BodyStream(chunks, trailers: { body.trailers })
        return passing(head ?? exchange.response, stored, reason, isStored: true)
    }
}
