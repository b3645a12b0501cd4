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

/// Responses from a body that is still arriving.
extension OriginFallback {
    /// The response to a request, as soon as the beginning of what it wants has arrived.
    func arriving(
        _ exchange: OriginExchange,
        _ body: SharedBody,
        _ waiter: FetchWaiter,
        _ inquiry: Inquiry,
        _ fallback: StaleUse,
        _ reason: CacheStatus.ForwardReason
    ) async -> Result {
        var response = exchange.response
        // Others get what the cache would serve.
        if !waiter.isFirst { response.headerFields = cache.policy.storableFields(of: response.headerFields) }
        let head = passed(response, reason, isStored: true, isCollapsed: !waiter.isFirst)
        func stream(_ head: HTTPResponse, _ range: Range<Int>?) -> Result {
            .passing(head, BodyStream(SharedBodyReader(body, range: range, waiter: waiter)))
        }
        func part(_ range: Range<Int>) -> HTTPResponse {
            head.partial(Int64(range.lowerBound)..<Int64(range.upperBound), of: Self.length(head).map(Int64.init))
        }
        guard !inquiry.wantsWhole, head.status == .ok, let length = Self.length(head) else { return stream(head, nil) }
        let representation = Representation(head, content: ByteSlice(copying: []))
        let selection = RequestConditions.withConditions(of: inquiry.client.headerFields) { conditions in
            ResponseSelection(isHead: false, conditions, validators: representation.validators, length: length)
        }
        switch selection {
        case .whole: return stream(head, nil)
        case .parts(let parts) where parts.count == 1: return stream(part(parts[0]), parts[0])
        // They depend on the head alone.
        case .notModified, .preconditionFailed: return .stored(representation, .network)
        case .parts, .rangeNotSatisfiable:
            return await complete(exchange, body, inquiry, fallback, reason) ?? stream(head, nil)
        }
    }

    /// The response once the whole body has arrived; nil when it isn't stored.
    private func complete(
        _ exchange: OriginExchange,
        _ body: SharedBody,
        _ inquiry: Inquiry,
        _ fallback: StaleUse,
        _ reason: CacheStatus.ForwardReason
    ) async -> Result? {
        await body.waitForEnd()
        if case .failed(let error) = body.end {
            let broken = BundleError(.networkUnavailable, "the response broke off", cause: error)
            return replacement(inquiry, error as? BundleError ?? broken, fallback, reason)
        }
        let lookup = await cache.lookUp(inquiry.fetch.request, key: inquiry.fetch.key, under: inquiry.fetch.release)
        guard let variant = lookup.variant, variant.isComplete else { return nil }
        let forwarded = CacheStatus.Outcome.forwarded(reason, status: exchange.response.status.code, stored: true)
        return served(variant, inquiry.client, CacheStatus(forwarded, detail: "network"), .network)
    }

    private static func length(_ head: HTTPResponse) -> Int? {
        head.headerFields[.contentLength].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}

extension Representation {
    /// A representation with the metadata of a response's head.
    fileprivate init(_ head: HTTPResponse, content: ByteSlice) {
        let fields = head.headerFields
        self.init(
            status: head.status,
            mediaType: fields[.contentType],
            content: content,
            entityTag: fields[.eTag].flatMap { EntityTag($0) },
            lastModified: fields[.lastModified].flatMap { HTTPDate($0)?.date },
            fields: fields
        )
    }
}
