import HTTPCore
import HTTPTypes

/// Ready responses by key: a table of fixed size, in which a new response replaces one that hasn't been requested
/// lately.
///
/// For use on one event loop; copies would share nothing.
struct ReadyResponses: ~Copyable {
    /// How many places each key can use.
    private static let ways = 4
    /// How many bytes the responses with a limited validity may keep in memory between two sweeps.
    private static let maximumLimitedByteCount = 16 << 20
    /// By how many further fields the responses to one target may be selected.
    private static let maximumSelectorCount = 4
    /// For how many targets there may be such fields; with more, all are forgotten.
    private static let maximumSelectedCount = 4_096

    private var places: [ReadyResponse?]
    /// A part of the hash of each response's key. The top bit says whether the response has been requested since the
    /// last eviction scan of its set. A tag that differs rules a response out without touching its memory.
    private var tags: [UInt32]
    private let seed = UInt64.random(in: .min ... .max)
    /// The places of the responses with a limited validity that have come since the last sweep, and how many bytes they
    /// keep in memory.
    private var limited: [Int] = []
    private var limitedByteCount = 0
    /// The fields beside the deciding ones by which the responses to a target are selected, by the hash of its key. When
    /// two have the same hash, the keys of both have more fields than needed.
    private var selectors: [UInt64: [HTTPField.Name]] = [:]

    /// - Parameter capacity: The minimum number of responses that fit.
    init(capacity: Int) {
        let capacity = Self.roundedUpToPowerOfTwo(max(capacity, Self.ways))
        places = Array(repeating: nil, count: capacity)
        tags = Array(repeating: 0, count: capacity)
    }

    /// The response with this key.
    mutating func response(for key: UnsafeRawBufferPointer) -> ReadyResponse? {
        let hash = hash(key)
        let first = firstPlace(of: hash)
        for place in first..<first + Self.ways where tags[place] & Self.tagBits == Self.tag(of: hash) {
            if let response = places[place], response.hasKey(key) {
                tags[place] |= Self.usedBit
                return response
            }
        }
        return nil
    }

    /// Keeps a response under its key, in place of an earlier one.
    mutating func insert(_ response: ReadyResponse, for key: UnsafeRawBufferPointer) {
        let hash = hash(key)
        let first = firstPlace(of: hash)
        let candidates = first..<first + Self.ways
        var place =
            candidates.first { places[$0]?.hasKey(key) == true } ?? candidates.first { places[$0] == nil }
            ?? candidates.first { tags[$0] & Self.usedBit == 0 }
        if place == nil {
            for candidate in candidates { tags[candidate] &= Self.tagBits }
            place = first
        }
        if response.validity != nil {
            guard limitedByteCount + response.ownedByteCount <= Self.maximumLimitedByteCount else { return }
            limitedByteCount += response.ownedByteCount
            limited.append(place ?? first)
        }
        places[place ?? first] = response
        tags[place ?? first] = Self.tag(of: hash)
    }

    /// The fields beside the deciding ones by which the responses to a target are selected; nil for none.
    ///
    /// - Parameter target: The target's key.
    func selectors(of target: UnsafeRawBufferPointer) -> [HTTPField.Name]? {
        selectors.isEmpty ? nil : selectors[hash(target)]
    }

    /// Notes that a response to a target was selected by further fields.
    ///
    /// - Returns: The fields that its key must have, with those that were noted before; nil when there are too many.
    mutating func note(_ names: [HTTPField.Name], of target: UnsafeRawBufferPointer) -> [HTTPField.Name]? {
        let known = selectors(of: target) ?? []
        let new = names.filter { !known.contains($0) }
        guard !new.isEmpty else { return known }
        let all = known.count + new.count <= Self.maximumSelectorCount ? known + new : names
        guard all.count <= Self.maximumSelectorCount else { return nil }
        if selectors.count >= Self.maximumSelectedCount { selectors.removeAll() }
        selectors[hash(target)] = all
        // What was kept before may not be the response to all requests that it would be sent to.
        remove(target)
        return all
    }

    private mutating func remove(_ key: UnsafeRawBufferPointer) {
        let first = firstPlace(of: hash(key))
        for place in first..<first + Self.ways where places[place]?.hasKey(key) == true { places[place] = nil }
    }

    /// Removes the responses that are no longer valid. Costs nothing when none has a limited validity.
    mutating func sweep() {
        guard !limited.isEmpty else { return }
        limited = Set(limited).filter { place in
            guard let response = places[place], response.validity != nil else { return false }
            if !response.isCurrent { places[place] = nil }
            return places[place] != nil
        }
        limitedByteCount = limited.reduce(0) { $0 + (places[$1]?.ownedByteCount ?? 0) }
    }

    /// Removes all responses.
    mutating func removeAll() {
        for place in places.indices { places[place] = nil }
        (limited, limitedByteCount) = ([], 0)
        selectors = [:]
    }

    private static let usedBit: UInt32 = 1 << 31
    private static let tagBits = ~usedBit

    /// Different bits from those that select the place.
    private static func tag(of hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) & tagBits }

    private static func roundedUpToPowerOfTwo(_ number: Int) -> Int {
        1 << (Int.bitWidth - (number - 1).leadingZeroBitCount)
    }

    private func firstPlace(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash) & (places.count - 1) & ~(Self.ways - 1)
    }

    /// Multiplies and folds eight bytes at a time. Colliding keys only cause responses to be prepared again.
    private func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
        var hash = seed ^ UInt64(truncatingIfNeeded: key.count)
        var index = 0
        while index < key.count {
            var word: UInt64 = 0
            if index + 8 <= key.count {
                word = key.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            } else {
                for byte in key[index...] { word = word << 8 | UInt64(byte) }
            }
            let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            hash = product.high ^ product.low
            index += 8
        }
        return hash
    }
}

/// The key of a ready response: the protocol, whether the client is on this machine, the deciding fields that select a
/// representation, the authority, and the path or the whole target; and further fields, where stored responses are selected
/// by them. For use on one event loop.
struct ReadyKey: ~Copyable {
    /// Longer requests get no ready response.
    private static let maximumByteCount = 2_048

    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumByteCount, alignment: 16)
    private var count = 0
    private var pathEnd = 0
    private var targetEnd = 0

    deinit {
        memory.deallocate()
    }

    /// Sets the key from a request. Returns false when it is too long.
    mutating func take(_ view: RequestView, as format: HeadFormat, on connection: ConnectionInfo) -> Bool {
        (count, targetEnd) = (0, memory.count)
        var fits = append(format.rawValue)
        // A range applies to the content without a coding, whatever codings the client accepts.
        fits = append((view.asksForPart ? 1 : 0) | (connection.isLocal ? 2 : 0)) && fits
        view.fields.forEachSelecting { field, place in
            guard fits else { return }
            let value = UnsafeRawBufferPointer(rebasing: view.bytes[place])
            fits = field == .cookie ? appendCookies(value) : append(field.rawValue) && appendCounted(value)
        }
        fits = fits && append(.max) && view.authority.map { appendCounted($0) } ?? append(0)
        guard fits, append(view.target) else { return false }
        pathEnd = count - view.target.count + view.path.count
        targetEnd = count
        return true
    }

    /// Adds the values of further fields, after ``take(_:as:on:)``. Returns false when they don't fit.
    ///
    /// - Parameter complete: Makes the request with all its fields, for a view that doesn't have them.
    mutating func add(_ names: [HTTPField.Name], of view: RequestView, _ complete: RequestCore.Complete) -> Bool {
        count = targetEnd
        var fits = true
        for name in names {
            var text = name.canonicalName
            fits = fits && text.withUTF8 { appendCounted(UnsafeRawBufferPointer($0)) }
            fits = addValues(of: name, view, complete) && fits && append(0)
        }
        // Where the target ends, and a byte that no target has: no other key has the same bytes.
        fits = fits && append(UInt8(truncatingIfNeeded: targetEnd)) && append(UInt8(truncatingIfNeeded: targetEnd >> 8))
        fits = fits && append(.max)
        if !fits { count = targetEnd }
        return fits
    }

    private mutating func addValues(
        of name: HTTPField.Name,
        _ view: RequestView,
        _ complete: RequestCore.Complete
    ) -> Bool {
        var fits = true
        if view.forEachValue(of: name.canonicalName, { fits = fits && append(1) && appendCounted($0) }) { return fits }
        guard let request = try? complete() else { return false }
        for field in request.headerFields[fields: name] {
            fits = fits && append(1) && field.withUnsafeBytesOfValue { appendCounted(UnsafeRawBufferPointer($0)) }
        }
        return fits
    }

    /// The key of a response that depends on the path but not on the query.
    var path: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<pathEnd]) }

    /// The key of a response that depends on the whole target.
    var target: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<targetEnd]) }

    /// The key of a response that depends on further fields too, which have been added.
    var selected: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    /// Whether the request has a query.
    var hasQuery: Bool { pathEnd < targetEnd }

    /// Whether further fields have been added.
    var isExtended: Bool { count > targetEnd }

    /// Only this server's cookies can change a response.
    private mutating func appendCookies(_ value: UnsafeRawBufferPointer) -> Bool {
        var fits = true
        VersionCookies.forEach(in: value) { cookie in
            fits = fits && append(DecidingField.cookie.rawValue) && appendCounted(cookie)
        }
        return fits
    }

    private mutating func append(_ byte: UInt8) -> Bool {
        guard count < memory.count else { return false }
        memory[count] = byte
        count += 1
        return true
    }

    private mutating func appendCounted(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // What is longer doesn't fit.
        append(UInt8(truncatingIfNeeded: bytes.count)) && append(UInt8(truncatingIfNeeded: bytes.count >> 8))
            && append(bytes)
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= memory.count - count else { return false }
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
        return true
    }
}
