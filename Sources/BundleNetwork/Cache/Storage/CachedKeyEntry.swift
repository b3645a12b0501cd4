import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// What is known of the responses under one key. A value type.
struct CachedKeyEntry {
    /// A variant.
    struct Slot {
        let selection: CachedSelection
        var content: Content
    }

    enum Content {
        case inMemory(CachedVariant)
        /// In the catalog, in the row with this number.
        case stored(Int64)

        var variant: CachedVariant? {
            if case .inMemory(let variant) = self { variant } else { nil }
        }

        func isOf(_ row: CachedRow) -> Bool {
            switch self {
            case .inMemory(let variant): variant.row === row
            case .stored(let id): row.state == .written(id)
            }
        }
    }

    /// The oldest first.
    var slots: [Slot] = []
    /// ``/BundleStore/BundleStore/CacheChanges/insertions`` as of when the slots were known to be all that there are; nil when there
    /// may be others.
    var completeness: Int?
    /// The number of the last change to it in this process.
    var change = 0
    /// How many changes of the store must be written before it may be forgotten.
    var neededProgress = 0
}

extension CachedKeyEntry {
    /// What a request finds; nil when the catalog has to be asked.
    ///
    /// - Parameters:
    ///   - insertions: The present ``/BundleStore/BundleStore/CacheChanges/insertions``.
    ///   - isUsable: Whether the cache may use a response.
    func lookUp(
        _ request: HTTPRequest,
        insertions: Int,
        where isUsable: (StoredResponse) -> Bool
    ) -> CacheLookup? {
        let selected = slots(for: request)
        let variants = selected.compactMap(\.content.variant)
        guard variants.count == selected.count else { return nil }
        let best = variants.filter { !$0.validity.isRevoked && isUsable($0.response) && $0.response.matches(request) }
            .max { $0.response.isOlder(than: $1.response) }
        if var best {
            if slots.count > 1 { best.entrySelectors = Set(slots.map(\.selection.selectors)) }
            return .found(best)
        }
        guard completeness == insertions else { return nil }
        return slots.isEmpty ? .nothing : .otherVariants
    }

    /// The variants that a request seems to select.
    func slots(for request: HTTPRequest) -> [Slot] {
        var digests: [String: [Int64]] = [:]
        return slots.filter { slot in
            let selectors = slot.selection.selectors
            let known = digests[selectors] ?? CachedSelection.digests(of: selectors, in: request.headerFields)
            digests[selectors] = known
            return slot.selection.matches(known)
        }
    }

    /// Adds a variant, and removes those that its request selects and those that are too many.
    mutating func add(_ variant: CachedVariant, for request: HTTPRequest) {
        let replaced = Set(slots(for: request).map(\.selection) + [variant.selection])
        for slot in slots where replaced.contains(slot.selection) { slot.content.variant?.validity.revoke() }
        slots.removeAll { replaced.contains($0.selection) }
        slots.append(Slot(selection: variant.selection, content: .inMemory(variant)))
        let surplus = slots.count - CachedVariants.maximumCount
        if surplus > 0 {
            for slot in slots.prefix(surplus) { slot.content.variant?.validity.revoke() }
            slots.removeFirst(surplus)
        }
    }

    /// Puts another state of a variant, or nothing, into its place.
    mutating func replace(_ old: CachedVariant, with new: CachedVariant?) {
        let slot = new.map { Slot(selection: $0.selection, content: .inMemory($0)) }
        let place = slots.firstIndex { $0.content.isOf(old.row) } ?? slots.endIndex
        slots.replaceSubrange(place..<min(place + 1, slots.endIndex), with: slot.map { [$0] } ?? [])
    }

    /// Takes all that was read from the catalog. What is in memory is newer.
    mutating func merge(_ read: [Slot], completeness: Int) {
        let kept = slots.filter { slot in slot.content.variant.map { !$0.validity.isRevoked } ?? false }
        let selections = Set(kept.map(\.selection))
        slots = read.filter { !selections.contains($0.selection) } + kept
        self.completeness = completeness
    }

    /// Leaves the oldest variants to the catalog until those in memory don't exceed a size.
    mutating func shrink(to byteCount: Int) {
        var total = cost
        for place in slots.indices.dropLast() where total > byteCount {
            guard let variant = slots[place].content.variant, case .written(let id) = variant.row.state else {
                continue
            }
            slots[place].content = .stored(id)
            total -= variant.cost
        }
    }

    /// About how many bytes of memory it holds.
    var cost: Int { slots.reduce(256) { $0 + 128 + ($1.content.variant?.cost ?? 0) } }
}

extension CachedVariant {
    /// What a mapped file counts: its pages belong to the system, but a process may have only so many mappings.
    private static let mappingByteCount = 16 << 10

    /// About how many bytes of memory it holds.
    var cost: Int {
        let fields = [response.fields, response.selectingFields].flatMap(\.self)
        let metadata = fields.reduce(512) { $0 + 96 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        return contents.reduce(metadata + 2 * response.url.absoluteString.utf8.count) { sum, content in
            sum + 64 + (content.count > CachedBodyWriter.memoryByteCount ? Self.mappingByteCount : content.count)
        }
    }
}

/// What the cache has for a request.
indirect enum CacheLookup: Sendable {
    /// A response that may be used, fresh or stale.
    case found(CachedVariant)
    /// Only responses that are selected by other request fields (RFC 9111 §4.1).
    case otherVariants
    /// Nothing.
    case nothing

    /// The response that may be used.
    var variant: CachedVariant? {
        if case .found(let variant) = self { variant } else { nil }
    }

    /// Why the origin must be asked when there is no ``variant`` (RFC 9211 §2.2).
    var missReason: CacheStatus.ForwardReason {
        if case .otherVariants = self { .varyMiss } else { .uriMiss }
    }
}
