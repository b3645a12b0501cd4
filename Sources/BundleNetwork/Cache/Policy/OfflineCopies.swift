import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// A rule's wish that responses are kept for the time without a network although HTTP forbids to store or to reuse them
/// (`"offline": "always"`). A value type; safe to share between threads.
package struct OfflineCopies: Hashable, Sendable {
    /// How long a copy is of use, in seconds; nil for as long as it is stored.
    let maximumAge: TimeInterval?
    /// Whether responses to requests with `Authorization` are kept.
    let includesAuthorized: Bool

    /// The key that copies of the responses of another key are stored under. No URL has such a key.
    static func key(of key: String) -> String { "offline \(key)" }

    /// Whether a stored response is one that may be sent.
    func includes(_ variant: CachedVariant, now: Date) -> Bool {
        variant.isComplete && !variant.response.isError
            && maximumAge.map { variant.response.age(now: now) <= $0 } ?? true
    }

    package init(maximumAge: TimeInterval? = nil, includesAuthorized: Bool = false) {
        self.maximumAge = maximumAge
        self.includesAuthorized = includesAuthorized
    }
}

extension CachePolicy {
    /// The exchange as it is kept for the time without a network: private, and stale from the start. Nil when it isn't to be kept: an error,
    /// a part, a stream of events, a response to another method than GET or to a request with `no-store`, and in a cache that several
    /// users have.
    func offlineCopy(of exchange: OriginExchange, _ copies: OfflineCopies) -> OriginExchange? {
        let (request, status) = (exchange.request, exchange.response.status.code)
        guard !obeysSharedRules, request.method == .get, (200..<400).contains(status), ![206, 304].contains(status),
            copies.includesAuthorized || !request.headerFields.contains(.authorization),
            !CacheControl(request.headerFields).noStore, !exchange.response.isEventStream,
            exchange.response.headerFields.count < StoredResponse.maximumFieldCount
        else { return nil }
        var response = exchange.response
        for name in Self.reuseFields + Self.sessionFields { response.headerFields[name] = nil }
        // A page that varies by everything has one copy.
        if VariantSelector(response.headerFields) == .unknowable { response.headerFields[.vary] = nil }
        response.headerFields[.cacheControl] = "private, max-age=0"
        // Clients drop the content of a redirect, and so do copies.
        if response.status.kind == .redirection { response.headerFields[.contentLength] = nil }
        return exchange.responding(to: request, with: response)
    }

    /// Fields that say how a response may be reused, in place of which the rule does.
    private static let reuseFields: [HTTPField.Name] = [.cacheControl, .expires, .pragma]

    /// Fields that change what the client keeps, which has changed since.
    private static let sessionFields: [HTTPField.Name] = [.setCookie, .clearSiteData]
}

extension ResponseCache {
    /// Keeps a copy whose content has arrived.
    func keepCopy(_ copy: OriginExchange, _ content: [UInt8], of fetch: Fetch) {
        let spool = beginBody()
        guard (try? spool.append(content)) != nil else { return }
        _ = keep(copy, key: fetch.copyKey, body: spool, under: fetch.release)
    }

    /// The latest response to a request that may be sent when there is no network: what HTTP lets be stored, or a copy.
    func offlineCopy(for fetch: Fetch, _ lookup: CacheLookup, now: Date) async -> CachedVariant? {
        guard let copies = fetch.offlineCopies else { return nil }
        let copy = await lookUp(fetch.request, key: fetch.copyKey, under: fetch.release)
        return [lookup.variant, copy.variant].compactMap(\.self).filter { copies.includes($0, now: now) }
            .max { $0.response.isOlder(than: $1.response) }
    }
}

extension Fetch {
    var copyKey: String { OfflineCopies.key(of: key) }

    /// The response as it is kept for the time without a network; nil when it isn't.
    func offlineCopy(of response: HTTPResponse, _ policy: CachePolicy, at time: Date) -> OriginExchange? {
        guard let offlineCopies else { return nil }
        let exchange = OriginExchange(
            url: url,
            request: request,
            requestTime: time,
            response: response,
            responseTime: time
        )
        return policy.offlineCopy(of: exchange, offlineCopies)
    }
}
