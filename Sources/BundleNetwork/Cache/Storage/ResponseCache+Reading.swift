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
