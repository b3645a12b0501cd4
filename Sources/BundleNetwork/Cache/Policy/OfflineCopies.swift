import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// A rule's wish that responses are kept for the time without a network although HTTP forbids to store or to reuse them
/// (`"offline": "always"`). A value type; safe to share between threads.
package struct OfflineCopies: Hashable, Sendable {
    /// How long a copy is of use, in seconds; nil for as long as it is stored.
    let maximumAge: TimeInterval?
    /// Whether responses to requests with `Authorization` are kept, and sent to others.
    let includesAuthorized: Bool
    /// The names of the cookies that tell users apart; nil for all cookies.
    let userCookies: [String]?

    /// The key that copies of the responses of another key are stored under. No URL has such a key.
    ///
    /// - Parameter user: For which user the copies are. Those for all users have a key of their own, so that they stay when a user's
    ///   copy replaces another user's.
    static func key(of key: String, for user: Digest?) -> String {
        user == nil ? "offline \(key)" : "offline-user \(key)"
    }

    /// Whether a stored response is one that may be sent to a user, or to a request without one: it was for the same user, or for all.
    func includes(_ variant: CachedVariant, for user: Digest?, now: Date) -> Bool {
        variant.isComplete && !variant.response.isError
            && variant.response.user.map { $0 == user } ?? true
            && maximumAge.map { variant.response.age(now: now) <= $0 } ?? true
    }

    package init(
        maximumAge: TimeInterval? = nil,
        includesAuthorized: Bool = false,
        userCookies: [String]? = nil
    ) {
        self.maximumAge = maximumAge
        self.includesAuthorized = includesAuthorized
        self.userCookies = userCookies
    }
}

extension OfflineCopies {
    /// What tells the user of a request from others: a digest of its cookies and of `Authorization`, as far as the rule doesn't say that
    /// they don't matter. Nil for a request without any.
    func user(of fields: HTTPFields) -> Digest? {
        var credentials = Self.cookies(of: fields).filter(isOfUser)
        if !includesAuthorized {
            // No cookie begins with a line feed.
            credentials += fields[fields: .authorization].map { field in
                field.withUnsafeBytesOfValue { Self.lineFeed + $0 }
            }
        }
        guard !credentials.isEmpty else { return nil }
        // In any order: clients may send cookies in one of their own.
        let sorted = credentials.sorted { $0.lexicographicallyPrecedes($1) }
        return Digest(of: Array(sorted.joined(separator: Self.lineFeed)))
    }

    /// No value contains it.
    private static let lineFeed = [UInt8(ascii: "\n")]

    private func isOfUser(_ cookie: [UInt8]) -> Bool {
        guard let userCookies else { return true }
        let name = cookie.prefix { $0 != UInt8(ascii: "=") }.trimmingBlanks
        return userCookies.contains { $0.utf8.elementsEqual(name) }
    }

    /// Name and value of each cookie (RFC 6265 §4.2.1).
    private static func cookies(of fields: HTTPFields) -> [[UInt8]] {
        fields[fields: .cookie].flatMap { field in
            field.withUnsafeBytesOfValue { value in
                value.split(separator: UInt8(ascii: ";")).map { Array($0.trimmingBlanks) }.filter { !$0.isEmpty }
            }
        }
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
        response.headerFields[.vary] = Self.selectors(of: response.headerFields)
        response.headerFields[.cacheControl] = "private, max-age=0"
        // Clients drop the content of a redirect, and so do copies.
        if response.status.kind == .redirection { response.headerFields[.contentLength] = nil }
        var copy = exchange.responding(to: request, with: response)
        copy.isOfflineCopy = true
        return copy
    }

    /// The value of `Vary` of a copy. A page that varies by everything has one copy, and cookies select only as far as they tell users
    /// apart.
    private static func selectors(of fields: HTTPFields) -> String? {
        guard case .fields(let names) = VariantSelector(fields) else { return nil }
        let others = names.filter { $0 != .cookie }.map(\.rawName)
        return others.isEmpty ? nil : others.joined(separator: ", ")
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
        let user = copies.user(of: fetch.request.headerFields)
        var variants = [lookup.variant]
        for key in Set([nil, user].map { OfflineCopies.key(of: fetch.key, for: $0) }) {
            variants.append(await lookUp(fetch.request, key: key, under: fetch.release).variant)
        }
        return variants.compactMap(\.self).filter { copies.includes($0, for: user, now: now) }
            .max { $0.response.isOlder(than: $1.response) }
    }
}
