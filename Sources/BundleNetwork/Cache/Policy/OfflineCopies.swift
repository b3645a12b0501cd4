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

    package init(maximumAge: TimeInterval? = nil, includesAuthorized: Bool = false) {
        self.maximumAge = maximumAge
        self.includesAuthorized = includesAuthorized
    }
}

extension CachePolicy {
    /// The exchange as it is kept for the time without a network: dated, private, and stale from the start. Nil when it isn't to be kept:
    /// an error, a part, a response to another method than GET, and in a cache that several users have.
    func offlineCopy(of exchange: OriginExchange, _ copies: OfflineCopies) -> OriginExchange? {
        let (request, status) = (exchange.request, exchange.response.status.code)
        guard !obeysSharedRules, request.method == .get, (200..<400).contains(status), ![206, 304].contains(status),
            copies.includesAuthorized || !request.headerFields.contains(.authorization),
            exchange.response.headerFields.count < StoredResponse.maximumFieldCount
        else { return nil }
        var response = exchange.response
        for name in Self.reuseFields { response.headerFields[name] = nil }
        // A page that varies by everything has one copy.
        if VariantSelector(response.headerFields) == .unknowable { response.headerFields[.vary] = nil }
        response.headerFields[.cacheControl] = "private, max-age=0"
        return exchange.responding(to: request, with: response)
    }

    /// Fields that say how a response may be reused, in place of which the rule does.
    private static let reuseFields: [HTTPField.Name] = [.cacheControl, .expires, .pragma]
}

extension ResponseCache {
    /// The latest response to a request that may be sent when there is no network: what HTTP lets be stored, or a copy.
    func offlineCopy(for fetch: Fetch, _ lookup: CacheLookup, now: Date) async -> CachedVariant? {
        guard let copies = fetch.offlineCopies else { return nil }
        let copy = await lookUp(fetch.request, key: fetch.copyKey, under: fetch.release)
        return [lookup.variant, copy.variant].compactMap(\.self)
            .filter { variant in
                variant.isComplete && !variant.response.isError
                    && copies.maximumAge.map { variant.response.age(now: now) <= $0 } ?? true
            }
            .max { $0.response.isOlder(than: $1.response) }
    }
}

extension Fetch {
    /// The key of copies, under which no URL has a response.
    var copyKey: String { "offline \(key)" }
}
