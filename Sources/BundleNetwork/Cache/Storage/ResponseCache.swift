import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Keeps responses from the network in the store, tagged with the bundle and version they were fetched under, and those
/// that are used in memory too.
///
/// Thread-safe. One for each responder.
final class ResponseCache: Sendable {
    let store: BundleStore
    let policy: CachePolicy
    /// The longest body that is kept, in bytes; a longer one passes through.
    let maximumByteCount: Int64
    let memory: ResponseMemory
    let readers = WorkerPool(maximumCount: 2)
    /// Compares large bodies with their digests, so that other look-ups don't wait for that.
    let checkers = WorkerPool(maximumCount: 2)

    /// - Parameter memory: The most bytes of responses that are held in memory; all who use the store share it, and the
    ///   first decides.
    init(store: BundleStore, policy: CachePolicy, maximumByteCount: Int64, memory: Int = 64 << 20) {
        self.store = store
        self.policy = policy
        self.maximumByteCount = maximumByteCount
        self.memory = ResponseMemory.shared(store, capacity: memory)
    }

    /// What is known without waiting; nil when the catalog has to be read. For event loops.
    ///
    /// - Parameters:
    ///   - request: The request as it would go to the origin.
    ///   - key: The cache key, usually the URL.
    func remembered(_ request: HTTPRequest, key: String, under release: Release) -> CacheLookup? {
        memory.lookUp(request, key: key, under: release, where: policy.mayUse)
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

    /// A body that is stored while it is read to its end.
    func storing(_ body: BodyStream, of exchange: OriginExchange, key: String, under release: Release) -> StoringBody {
        StoringBody(body, into: beginBody(), maximumByteCount: maximumByteCount) { [self] spool in
            await withTaskExecutorPreference(BlockingExecutor()) {
                _ = keep(exchange, key: key, body: spool, under: release)
            }
        }
    }

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
        guard let url = URL(string: exchange.url), isActive(release), let body = try? body.finish() else { return nil }
        let response = stored(exchange, url: url, bodyLength: body.content.count)
        let none = CachedPartList([], of: Int64(body.content.count))
        let parts = CachedPartList([none.part(at: 0, body)], of: none.completeLength)
        return insert(response, parts, body, exchange.request, key: key, under: release)
    }

    /// Makes a response as fresh as the 304 that confirmed it, or drops it and returns nil when the 304 forbids keeping
    /// it.
    ///
    /// A store that can't be written doesn't prevent a response: the next request asks the origin again.
    func freshen(_ variant: CachedVariant, by exchange: OriginExchange) -> CachedVariant? {
        var response = policy.freshened(
            variant.response,
            by: exchange.response,
            to: exchange.request,
            requestTime: exchange.requestTime,
            responseTime: exchange.responseTime
        )
        // The origin gives this user the same.
        response.user = exchange.user
        return change(variant, to: response, after: exchange.request)
    }

    /// Makes a response as fresh as the 200 to a HEAD request that describes the same content, or drops it when that
    /// describes another (RFC 9111 §4.3.5).
    func freshen(_ variant: CachedVariant, byHead exchange: OriginExchange) {
        let response = policy.freshened(
            variant.response,
            byHead: exchange.response,
            to: exchange.request,
            requestTime: exchange.requestTime,
            responseTime: exchange.responseTime
        )
        _ = change(variant, to: response, after: exchange.request)
    }

    /// Stores another state of a response, or drops it when there is none or it may not be stored.
    private func change(
        _ variant: CachedVariant,
        to response: StoredResponse?,
        after request: HTTPRequest
    ) -> CachedVariant? {
        var request = request
        request.method = .get
        guard let response, policy.isStorable(request: request, response: response.wholeHead),
            let selection = CachedSelection(of: response)
        else {
            memory.change(variant, to: nil) { store.drop(variant.row) }
            return nil
        }
        let fresh = variant.changed(response, variant.stored, variant.contents, selection)
        memory.change(variant, to: fresh) {
            store.update(variant.row, metadata: response.encoded, selection: selection)
        }
        return fresh
    }

    /// Removes what is stored under the keys (RFC 9111 §4.4).
    func invalidate(_ keys: [String], under release: Release) {
        for key in keys {
            memory.change(key, under: release) { entry, moment -> Void? in
                for slot in entry.slots { slot.content.variant?.validity.revoke() }
                store.dropCachedResponses(under: CachedKey(key, bundle: release.name, version: release.version))
                entry.slots = []
                entry.completeness = moment.insertions
                return ()
            }
        }
    }

    /// Waits until everything kept so far is on the disk, or was given up.
    func flush() async { await store.flushCache() }

    /// Adds a new response.
    func insert(
        _ response: StoredResponse,
        _ parts: CachedPartList,
        _ body: CachedBody,
        _ request: HTTPRequest,
        key: String,
        under release: Release
    ) -> CachedVariant? {
        guard let selection = CachedSelection(of: response) else { return nil }
        let new = NewCachedResponse(
            url: response.url.absoluteString,
            key: CachedKey(key, bundle: release.name, version: release.version),
            bundle: release.name,
            version: release.version,
            activation: release.activationNumber,
            selection: selection,
            metadata: response.encoded,
            parts: parts,
            bodies: [body],
            digests: { CachedSelection.digests(of: $0, in: request.headerFields) }
        )
        return memory.change(key, under: release) { entry, moment in
            guard let row = store.keep(new) else { return nil }
            let validity = memory.validity(of: row, since: moment)
            let variant = CachedVariant(response, parts, [body.content], selection, key, row, validity)
            entry.add(variant, for: request)
            return variant
        }
    }

    /// Whether what is fetched under a release may still be kept.
    func isActive(_ release: Release) -> Bool {
        guard let active = store.snapshot.bundles[release.name]?.active else { return true }
        return active.version.string == release.version.string
    }

    func stored(_ exchange: OriginExchange, url: URL, bodyLength: Int) -> StoredResponse {
        var response = policy.storedResponse(
            to: exchange.request,
            url: url,
            response: exchange.response,
            bodyLength: bodyLength,
            requestTime: exchange.requestTime,
            responseTime: exchange.responseTime
        )
        (response.user, response.isOfflineCopy) = (exchange.user, exchange.isOfflineCopy)
        return response
    }
}

extension ResponseCache {
    /// Stores a part of a response, and adds it to the stored parts of the same representation, by their strong
    /// validators (RFC 9111 §3.4). Reads the catalog on the calling thread when those aren't in memory.
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
    ) -> CachedVariant? {
        guard let url = URL(string: exchange.url), isActive(release), let body = try? body.finish(),
            range.lowerBound >= 0, Int64(body.content.count) == range.count,
            completeLength.map({ $0 >= range.upperBound }) ?? true
        else { return nil }
        let part = PartialResponse(exchange.withoutContentRange, range.lowerBound, completeLength, body)
        let response = stored(part.exchange, url: url, bodyLength: Int(clamping: completeLength ?? range.upperBound))
        if let variant = lookUpWaiting(exchange.request, key: key, under: release).variant,
            !variant.validity.isRevoked
        {
            if variant.canTake(part) { return variant.isComplete ? variant : add(part, to: variant, response) }
            // It may be of the same content, which would be lost.
            if variant.isComplete, response.rangeCondition == nil { return nil }
        }
        let none = CachedPartList([], of: completeLength)
        let parts = CachedPartList([none.part(at: part.offset, body)], of: completeLength)
        return insert(response, parts, body, exchange.request, key: key, under: release)
    }

    private func add(_ part: PartialResponse, to variant: CachedVariant, _ response: StoredResponse) -> CachedVariant? {
        guard let selection = CachedSelection(of: response) else { return nil }
        let new = variant.stored.part(at: part.offset, part.body)
        let kept = variant.stored.indices(besides: new)
        let list = CachedPartList(
            kept.map { variant.stored.parts[$0] } + [new],
            of: part.completeLength ?? variant.completeLength
        )
        let change = CachedPartChange(list, adding: [(new, part.body)])
        let contents = kept.map { variant.contents[$0] } + [part.body.content]
        let extended = variant.changed(response, list, contents, selection)
        memory.change(variant, to: extended) {
            store.update(variant.row, metadata: response.encoded, selection: selection, parts: change)
        }
        return extended
    }
}

/// A part of a representation that has been fetched.
private struct PartialResponse {
    let exchange: OriginExchange
    let offset: Int64
    let completeLength: Int64?
    let body: CachedBody

    init(_ exchange: OriginExchange, _ offset: Int64, _ completeLength: Int64?, _ body: CachedBody) {
        self.exchange = exchange
        self.offset = offset
        self.completeLength = completeLength
        self.body = body
    }
}

extension OriginExchange {
    /// The fields of a 206 that are about its part alone aren't kept: parts are combined (RFC 9110 §15.3.7.3).
    fileprivate var withoutContentRange: OriginExchange {
        var response = response
        response.headerFields[.contentRange] = nil
        response.headerFields[.contentLength] = nil
        return responding(to: request, with: response)
    }
}

extension CachedVariant {
    /// Whether a part is of the same representation: the strong validators are the same, and the lengths, if known.
    fileprivate func canTake(_ part: PartialResponse) -> Bool {
        let lengths = [completeLength, part.completeLength].compactMap(\.self)
        return response.isCombinable(with: part.exchange.response) && Set(lengths).count <= 1
    }
}

extension CachedPartList {
    /// The parts that stay when one is added: not those that it covers, nor the smallest when there are too many.
    fileprivate func indices(besides new: CachedPart) -> [Int] {
        let end = new.offset + new.byteCount
        let kept = parts.indices.filter { index in
            parts[index].offset < new.offset || parts[index].offset + parts[index].byteCount > end
        }
        guard kept.count >= CachedPart.maximumCount,
            let smallest = kept.min(by: { parts[$0].byteCount < parts[$1].byteCount })
        else { return kept }
        return kept.filter { $0 != smallest }
    }
}
