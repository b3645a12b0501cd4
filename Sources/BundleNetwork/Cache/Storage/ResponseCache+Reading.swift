import BundleServing
import BundleStore
import HTTPCore
import HTTPTypes

extension ResponseCache {
    /// How often a look-up that is overtaken by changes begins again.
    private static let maximumAttemptCount = 4

    /// What is stored under a key and may be used for the request. Reads the catalog on a thread of its own, if
    /// needed; a catalog that can't be read counts as empty, and so do damaged entries.
    func lookUp(_ request: HTTPRequest, key: String, under release: Release) async -> CacheLookup {
        for _ in 0..<Self.maximumAttemptCount {
            if let known = remembered(request, key: key, under: release) { return known }
            switch await readers.run({ [self] in read(request, key, release) }) {
            case .lookup(let lookup): return lookup
            case .overtaken: continue
            case .unread(let found):
                // Other look-ups don't wait while a large body is compared with its digest.
                if let lookup = await checkers.run({ [self] in load(found, request, key) }) { return lookup }
            }
        }
        return .nothing
    }

    /// The outcome of reading the catalog.
    private enum Reading: Sendable {
        case lookup(CacheLookup)
        /// Bodies have to be compared with their digests first.
        case unread(Found)
        /// The catalog has changed meanwhile.
        case overtaken
    }

    private func read(_ request: HTTPRequest, _ key: String, _ release: Release) -> Reading {
        guard let found = find(request, key, release) else { return .lookup(.nothing) }
        guard !found.isUnread else { return .unread(found) }
        return load(found, request, key).map { .lookup($0) } ?? .overtaken
    }

    /// Like ``lookUp(_:key:under:)``, on the calling thread.
    func lookUpWaiting(_ request: HTTPRequest, key: String, under release: Release) -> CacheLookup {
        for _ in 0..<Self.maximumAttemptCount {
            if let known = remembered(request, key: key, under: release) { return known }
            guard let found = find(request, key, release) else { return .nothing }
            if let lookup = load(found, request, key) { return lookup }
        }
        return .nothing
    }

    /// The variants under a key, and the rows of those that a request selects.
    private struct Found: Sendable {
        let selections: [(id: Int64, selection: CachedSelection)]
        let selected: [CachedResponse]
        let moment: ResponseMemory.Moment
        let isUnread: Bool
    }

    /// Nil when the catalog can't be read, or the release isn't active any more.
    private func find(_ request: HTTPRequest, _ key: String, _ release: Release) -> Found? {
        // What was dropped a moment ago may still be in the catalog.
        if memory.isUnwritten(key, under: release) { store.awaitCache() }
        let key = CachedKey(key, bundle: release.name, version: release.version)
        guard let moment = memory.begin(under: release) else { return nil }
        var digests: [String: [Int64]] = [:]
        func isSelected(_ selection: CachedSelection) -> Bool {
            let selectors = selection.selectors
            let known = digests[selectors] ?? CachedSelection.digests(of: selectors, in: request.headerFields)
            digests[selectors] = known
            return selection.matches(known)
        }
        guard let variants = try? store.variants(under: key, where: isSelected) else { return nil }
        let selected = Set(variants.selected.map(\.id))
        return Found(
            // A row that is gone or damaged counts as absent.
            selections: variants.selections.filter { !isSelected($0.selection) || selected.contains($0.id) },
            selected: variants.selected,
            moment: moment,
            isUnread: variants.selected.contains { store.isUnread($0) }
        )
    }

    /// Reads the bodies into memory. A variant with a damaged one counts as absent.
    ///
    /// - Returns: What the request finds; nil when the catalog has changed meanwhile.
    private func load(_ found: Found, _ request: HTTPRequest, _ key: String) -> CacheLookup? {
        var loaded: [Int64: CachedVariant] = [:]
        for row in found.selected { loaded[row.id] = variant(row, key, since: found.moment) }
        let selected = Set(found.selected.map(\.id))
        let slots = found.selections.compactMap { id, selection -> CachedKeyEntry.Slot? in
            if let variant = loaded[id] { return .init(selection: selection, content: .inMemory(variant)) }
            return selected.contains(id) ? nil : .init(selection: selection, content: .stored(id))
        }
        return memory.take(slots, for: request, key: key, since: found.moment, where: policy.mayUse)
    }

    func variant(
        _ row: CachedResponse,
        _ key: String,
        since moment: ResponseMemory.Moment
    ) -> CachedVariant? {
        guard let response = StoredResponse(encoded: row.metadata), let contents = store.contents(of: row) else {
            return nil
        }
        let handle = store.row(of: row)
        let validity = memory.validity(of: handle, since: moment)
        return CachedVariant(response, row.parts, contents, row.selection, key, handle, validity)
    }
}

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
            var response = policy.freshened(
                original.response,
                by: exchange.response,
                to: exchange.request,
                requestTime: exchange.requestTime,
                responseTime: exchange.responseTime
            )
            response.user = exchange.user
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

extension CachedSelection {
    /// The selection of a response; nil when no later request is known to select it.
    init?(of response: StoredResponse) {
        guard case .fields(let names) = VariantSelector(response.fields) else { return nil }
        let selectors = Set(names.map(\.canonicalName)).sorted().joined(separator: "\n")
        let digests = selectors.isEmpty ? [Self.always] : response.selections.map(Self.digest).sorted()
        guard let digest = digests.first else { return nil }
        self.init(selectors: selectors, digest: digest, alternative: digests.dropFirst().first)
    }

    /// The digests of a request's values, as ``StoredResponse/selections(of:)``. What they find has to be compared with
    /// the request itself.
    ///
    /// - Parameter selectors: The names of the fields, one a line.
    static func digests(of selectors: String, in fields: HTTPFields) -> [Int64] {
        guard !selectors.isEmpty else { return [always] }
        let names = selectors.split(separator: "\n").compactMap { HTTPField.Name(String($0)) }
        let selector = VariantSelector.fields(names)
        let favourite = NegotiationField(.acceptLanguage, of: fields)?.favourite
        let keys = [selector.key(of: fields), selector.key(of: fields, inLanguage: favourite)]
        return keys.compactMap { $0.map(digest) }
    }

    /// Where no field selects.
    private static let always: Int64 = 0

    private static func digest(_ selection: VariantSelection) -> Int64 {
        Digest(of: selection.bytes).withUnsafeBytes { $0.littleEndian(at: 0) }
    }
}
