import BundleServing
import BundleStore
import HTTPTypes

/// A stored response to the URL of a request that doesn't select it. The origin may say that it is the right one
/// nevertheless (RFC 9111 §4.3.1).
struct OtherVariant: Sendable {
    fileprivate enum Place {
        case memory(CachedVariant)
        case catalog(CachedResponse, ResponseMemory.Moment)
    }

    let response: StoredResponse
    fileprivate let place: Place
}

extension ResponseCache {
    /// The stored responses under a key that have an entity tag, without their bodies. At most 32.
    func otherVariants(under key: String, of release: Release) async -> [OtherVariant] {
        await readers.run { [self] in
            guard let moment = memory.begin(under: release) else { return [] }
            let held = memory.variants(under: key, of: release).filter(\.isComplete)
            let known = Set(held.compactMap(\.row.id))
            let stored = CachedKey(key, bundle: release.name, version: release.version)
            let rows = ((try? store.selections(under: stored)) ?? []).compactMap { id, _ in
                known.contains(id) ? nil : try? store.cachedResponse(id)
            }
            let others =
                held.map { OtherVariant(response: $0.response, place: .memory($0)) }
                + rows.compactMap { row -> OtherVariant? in
                    guard row.parts.isWhole, let response = StoredResponse(encoded: row.metadata) else { return nil }
                    return OtherVariant(response: response, place: .catalog(row, moment))
                }
            return others.filter { policy.mayUse($0.response) && $0.response.entityTag != nil }
        }
    }

    /// Stores a copy of a response for a request that didn't select it, as fresh as the 304 that confirmed it (RFC 9111
    /// §4.3.4). The original stays for its own requests.
    ///
    /// - Parameter exchange: The request without the conditions that were added, and the 304.
    /// - Returns: Nil when the response is gone or damaged, or the 304 forbids keeping it.
    func adopt(
        _ other: OtherVariant,
        by exchange: OriginExchange,
        key: String,
        under release: Release
    ) async -> CachedVariant? {
        await withTaskExecutorPreference(BlockingExecutor()) {
            guard let original = load(other, key) else { return nil }
            let response = policy.freshened(
                original.response,
                by: exchange.response,
                to: exchange.request,
                requestTime: exchange.requestTime,
                responseTime: exchange.responseTime
            )
            guard policy.isStorable(request: exchange.request, response: response.head),
                let selection = CachedSelection(of: response)
            else { return nil }
            // Without room for a copy it is still the response.
            return await copy(original, as: response, exchange.request, under: release)
                ?? original.changed(response, original.stored, original.contents, selection)
        }
    }

    private func load(_ other: OtherVariant, _ key: String) -> CachedVariant? {
        switch other.place {
        case .memory(let variant): variant
        case .catalog(let row, let moment): variant(row, key, since: moment)
        }
    }

    private func copy(
        _ original: CachedVariant,
        as response: StoredResponse,
        _ request: HTTPRequest,
        under release: Release
    ) async -> CachedVariant? {
        guard let length = original.completeLength, let slices = original.slices(in: 0..<length), isActive(release)
        else { return nil }
        let writer = beginBody()
        for slice in slices {
            for await chunk in ByteSliceChunks(slice: slice) {
                guard (try? writer.append(chunk)) != nil else { return nil }
            }
            guard !slice.hasFaulted else { return nil }
        }
        guard let body = try? writer.finish() else { return nil }
        let none = CachedPartList([], of: length)
        let parts = CachedPartList([none.part(at: 0, body)], of: length)
        return insert(response, parts, body, request, key: original.key, under: release)
    }
}
