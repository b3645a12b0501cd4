import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Keeps responses from the network in the store, tagged with the bundle and version they were fetched under.
///
/// Thread-safe, as the store is.
struct ResponseCache: Sendable {
    let store: BundleStore
    let policy: CachePolicy
    /// The longest body that is kept, in bytes; a longer one passes through.
    let maximumByteCount: Int64

    /// What is stored for a URL under the release and may be used for the request; damaged entries count as absent.
    ///
    /// - Parameter request: The request as it would go to the origin.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    func lookUp(_ request: HTTPRequest, url: String, under release: Release) throws -> CacheLookup {
        let variants = try variants(url: url, under: release)
        guard let best = policy.mostRecent(of: variants.map(\.response), for: request),
            let variant = variants.first(where: { $0.response == best })
        else { return variants.isEmpty ? .nothing : .otherVariants }
        return .found(variant)
    }

    /// The response that ``lookUp(_:url:under:)`` finds.
    func variant(for request: HTTPRequest, url: String, under release: Release) throws -> CachedVariant? {
        try lookUp(request, url: url, under: release).variant
    }

    /// Whether a response may and should be stored, according to its head.
    func mayKeep(_ exchange: OriginExchange) -> Bool {
        let length = exchange.response.headerFields[.contentLength].flatMap { Int64($0) } ?? 0
        guard length <= maximumByteCount,
            policy.isStorable(request: exchange.request, response: exchange.response),
            let url = URL(string: exchange.url)
        else { return false }
        return policy.isReusable(stored(exchange, url: url, bodyLength: 0))
    }

    /// Stores a response whose body has been written.
    ///
    /// - Returns: The body, and the response as stored; nil when another version has become active in the meantime.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    func keep(
        _ exchange: OriginExchange,
        body writer: CachedBodyWriter,
        under release: Release
    ) throws -> (body: ByteSlice, variant: CachedVariant?) {
        guard let url = URL(string: exchange.url) else {
            throw BundleError(.invalidArgument, "\(Printable.text(exchange.url)) isn't a URL")
        }
        let response = stored(exchange, url: url, bodyLength: Int(clamping: writer.byteCount))
        let replaced = try variants(url: exchange.url, under: release)
            .filter { $0.response.matches(exchange.request) }.map(\.record)
        let (body, isKept) = try writer.store(
            url: exchange.url,
            bundle: release.name,
            version: release.version,
            metadata: try Self.encode(response),
            replacing: replaced
        )
        guard isKept else { return (body, nil) }
        return (body, try variants(url: exchange.url, under: release).first { $0.response == response })
    }

    /// Makes a response as fresh as the 304 that confirmed it, or drops it and returns nil when the 304 forbids keeping
    /// it.
    ///
    /// A store that can't be written doesn't prevent a response: the next request asks the origin again.
    func freshen(_ variant: CachedVariant, by exchange: OriginExchange) -> CachedVariant? {
        let response = policy.freshened(
            variant.response,
            by: exchange.response,
            to: exchange.request,
            requestTime: exchange.requestTime,
            responseTime: exchange.responseTime
        )
        guard policy.isStorable(request: exchange.request, response: response.head) else {
            try? store.drop(variant.record)
            return nil
        }
        if let metadata = try? Self.encode(response) { try? store.update(variant.record, metadata: metadata) }
        return CachedVariant(record: variant.record, response: response, body: variant.body)
    }

    private func variants(url: String, under release: Release) throws -> [CachedVariant] {
        try store.cachedResponses(for: url).compactMap { record in
            guard record.bundle == release.name, record.version.string == release.version.string,
                let response = try? JSONDecoder().decode(StoredResponse.self, from: Data(record.metadata)),
                let body = store.body(of: record)
            else { return nil }
            return CachedVariant(record: record, response: response, body: body)
        }
    }

    private func stored(_ exchange: OriginExchange, url: URL, bodyLength: Int) -> StoredResponse {
        policy.storedResponse(
            to: exchange.request,
            url: url,
            response: exchange.response,
            bodyLength: bodyLength,
            requestTime: exchange.requestTime,
            responseTime: exchange.responseTime
        )
    }

    private static func encode(_ response: StoredResponse) throws -> [UInt8] {
        Array(try JSONEncoder().encode(response))
    }
}
