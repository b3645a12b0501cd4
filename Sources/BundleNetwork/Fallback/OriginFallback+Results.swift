import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// The responses that are made of what the cache and the network have.
extension OriginFallback {
    func hit(
        _ variant: CachedVariant,
        _ request: HTTPRequest,
        timeToLive: TimeInterval,
        _ layer: ResponseSource.Layer
    ) -> Result {
        response(with: variant, request, .hit, timeToLive: timeToLive, layer)
    }

    /// The stored response replaces that of an origin that failed, which is not a hit (RFC 9211 §2.1).
    func stale(_ variant: CachedVariant, _ request: HTTPRequest, _ outcome: CacheStatus.Outcome) -> Result {
        response(with: variant, request, outcome, timeToLive: timeToLive(of: variant), .stale)
    }

    private func response(
        with variant: CachedVariant,
        _ request: HTTPRequest,
        _ outcome: CacheStatus.Outcome,
        timeToLive: TimeInterval,
        _ layer: ResponseSource.Layer
    ) -> Result {
        let status = CacheStatus(outcome, timeToLive: Int(exactly: timeToLive.rounded(.down)), detail: layer.rawValue)
        return served(variant, request, status, layer)
    }

    /// The response from a variant.
    func served(
        _ variant: CachedVariant,
        _ request: HTTPRequest,
        _ status: CacheStatus,
        _ layer: ResponseSource.Layer
    ) -> Result {
        guard variant.body == nil else { return .stored(variant.representation(now: now(), status), layer) }
        return .partial(variant.response(to: request, now: now(), status), layer)
    }

    /// What takes the place of the origin's response when there is none.
    func replacement(
        _ inquiry: Inquiry,
        _ error: BundleError,
        _ fallback: StaleUse,
        _ reason: CacheStatus.ForwardReason
    ) -> Result {
        guard fallback != .never, let stored = inquiry.stored,
            !(inquiry.hasOfflinePage && stored.response.isError)
        else {
            let hasCopy = inquiry.stored != nil
            return .nothing(fetcher == nil ? .offline(hasCopy: hasCopy) : Unavailability(error, hasCopy: hasCopy))
        }
        return stale(stored, inquiry.client, fetcher == nil ? .hit : .forwarded(reason))
    }

    func passing(
        _ response: HTTPResponse,
        _ body: BodyStream,
        _ reason: CacheStatus.ForwardReason,
        isStored: Bool = false,
        isCollapsed: Bool = false
    ) -> Result {
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
        let (elapsed, total) = (clock.stopwatch(), limits.total)
        let chunks = body.map { chunk in
            guard elapsed() < total else {
                throw BundleError(.networkUnavailable, "the response took longer than \(total)")
            }
            return chunk
        }
        return BodyStream(chunks, trailers: { body.trailers })
    }
}
