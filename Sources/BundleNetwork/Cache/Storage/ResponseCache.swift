import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Keeps responses from the network in the store, tagged with the bundle and version they were fetched under.
///
/// Thread-safe. One for each responder.
final class ResponseCache: Sendable {
    let store: BundleStore
    let policy: CachePolicy
    /// The longest body that is kept, in bytes; a longer one passes through.
    let maximumByteCount: Int64

    /// - Parameter memory: The most bytes of responses that are held in memory.
    init(store: BundleStore, policy: CachePolicy, maximumByteCount: Int64, memory: Int = 64 << 20) {
        self.store = store
        self.policy = policy
        self.maximumByteCount = maximumByteCount
    }

    /// What is known without waiting; nil when the catalog has to be read. For event loops.
    ///
    /// - Parameters:
    ///   - request: The request as it would go to the origin.
    ///   - key: The cache key, usually the URL.
    func remembered(_ request: HTTPRequest, key: String, under release: Release) -> CacheLookup? { nil }

    /// What is stored under a key and may be used for the request. Reads the catalog on a thread of its own, if
    /// needed; a catalog that can't be read counts as empty, and so do damaged entries.
    func lookUp(_ request: HTTPRequest, key: String, under release: Release) async -> CacheLookup {
        await withTaskExecutorPreference(BlockingExecutor()) { await read(request, key: key, under: release) }
    }

    private func read(_ request: HTTPRequest, key: String, under release: Release) async -> CacheLookup {
        lookUpWaiting(request, key: key, under: release)
    }

    /// Like ``lookUp(_:key:under:)``, on the calling thread.
    func lookUpWaiting(_ request: HTTPRequest, key: String, under release: Release) -> CacheLookup {
        let variants = (try? variants(url: key, under: release)) ?? []
        guard let best = policy.mostRecent(of: variants.map(\.response), for: request),
            let variant = variants.first(where: { $0.response == best })
        else { return variants.isEmpty ? .nothing : .otherVariants }
        return .found(variant)
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

    /// Begins a body. It is appended to by the fetch, while any number of clients read what has been appended.
    func beginBody() -> CachedBodyWriter { store.beginCachedBody() }

    /// Stores a response whose body has been appended: look-ups find it at once, and it is written behind.
    ///
    /// - Returns: The response as stored; nil when it isn't kept, because another version is active or there is no
    ///   room. The body can be read from `body` then.
    func keep(
        _ exchange: OriginExchange,
        key: String,
        body: CachedBodyWriter,
        under release: Release
    ) -> CachedVariant? {
        guard let url = URL(string: exchange.url) else { return nil }
        let response = stored(exchange, url: url, bodyLength: Int(clamping: body.byteCount))
        guard let variants = try? variants(url: key, under: release) else { return nil }
        let replaced = variants.filter { $0.response.matches(exchange.request) }.map(\.record)
        let kept = try? body.store(
            url: key,
            bundle: release.name,
            version: release.version,
            metadata: try Self.encode(response),
            replacing: replaced
        )
        guard kept?.isKept == true else { return nil }
        return (try? self.variants(url: key, under: release))?.first { $0.response == response }
    }

    /// Stores a part of a response, and adds it to the parts of the same representation that are stored: the caller has
    /// compared their strong validators.
    ///
    /// - Parameters:
    ///   - range: Where `body` belongs in the representation.
    ///   - completeLength: The length of the representation; nil when the origin doesn't say.
    /// - Returns: The response with all its parts; nil when it isn't kept.
    func keepPart(
        _ exchange: OriginExchange,
        key: String,
        range: Range<Int64>,
        completeLength: Int64?,
        body: CachedBodyWriter,
        under release: Release
    ) -> CachedVariant? { nil }

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
        variant.validity.revoke()
        guard policy.isStorable(request: exchange.request, response: response.head) else {
            try? store.drop(variant.record)
            return nil
        }
        if let metadata = try? Self.encode(response) { try? store.update(variant.record, metadata: metadata) }
        return CachedVariant(
            response: response,
            parts: variant.parts,
            completeLength: variant.completeLength,
            validity: EntryValidity(),
            record: variant.record
        )
    }

    /// Removes what is stored under the keys (RFC 9111 §4.4).
    func invalidate(_ keys: [String], under release: Release) {
        for key in keys {
            for variant in (try? variants(url: key, under: release)) ?? [] { try? store.drop(variant.record) }
        }
    }

    /// Waits until everything kept so far is on the disk, or was given up.
    func flush() async {}

    private func variants(url: String, under release: Release) throws -> [CachedVariant] {
        try store.cachedResponses(for: url).compactMap { record in
            guard record.bundle == release.name, record.version.string == release.version.string,
                let response = try? JSONDecoder().decode(StoredResponse.self, from: Data(record.metadata)),
                let body = store.body(of: record)
            else { return nil }
            return CachedVariant(
                response: response,
                parts: [CachedVariant.Part(offset: 0, content: body)],
                completeLength: Int64(body.count),
                validity: EntryValidity(),
                record: record
            )
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
