import BundleStore
import HTTPTypes

extension ResponseCache {
    /// How often a look-up that is overtaken by changes begins again.
    private static let maximumAttemptCount = 4

    /// What is stored under a key and may be used for the request. Reads the catalog on a thread of its own, if
    /// needed; a catalog that can't be read counts as empty, and so do damaged entries.
    func lookUp(_ request: HTTPRequest, key: String, under release: Release) async -> CacheLookup {
        for _ in 0..<Self.maximumAttemptCount {
            if let known = remembered(request, key: key, under: release) { return known }
            guard let found = await readers.run({ [self] in find(request, key, release) }) else { return .nothing }
            // Other look-ups don't wait while a large body is compared with its digest.
            let pool = found.isUnread ? checkers : readers
            if let lookup = await pool.run({ [self] in load(found, request, key) }) { return lookup }
        }
        return .nothing
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

    /// The variants under a key, and the rows of those that a request selects: one look at an index, and one row.
    private struct Found: Sendable {
        let selections: [(id: Int64, selection: CachedSelection)]
        let selected: [CachedResponse]
        let moment: ResponseMemory.Moment
        let isUnread: Bool
    }

    /// Nil when the catalog can't be read, or the release isn't active any more.
    private func find(_ request: HTTPRequest, _ key: String, _ release: Release) -> Found? {
        let key = CachedKey(key, bundle: release.name, version: release.version)
        guard let moment = memory.begin(under: release), let selections = try? store.selections(under: key) else {
            return nil
        }
        var digests: [String: [Int64]] = [:]
        for selectors in Set(selections.map(\.selection.selectors)) {
            digests[selectors] = CachedSelection.digests(of: selectors, in: request.headerFields)
        }
        let ids = selections.filter { $1.matches(digests[$1.selectors] ?? []) }.map(\.id)
        let selected = ids.compactMap { try? store.cachedResponse($0) }
        let present = Set(selected.map(\.id))
        return Found(
            // A row that is gone or damaged counts as absent.
            selections: selections.filter { !ids.contains($0.id) || present.contains($0.id) },
            selected: selected,
            moment: moment,
            isUnread: selected.contains { store.isUnread($0) }
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
