/// Prepared answers by the bytes of the requests that get them: a table of fixed size, in which a new answer takes the place
/// of one that hasn't been asked for lately.
///
/// For one event loop alone; copies would share nothing.
struct ReadyResponses: ~Copyable {
    /// A response may be in any of this many places.
    private static let ways = 4

    private var places: [ReadyResponse?]
    /// A part of the hash of each response's key, with a bit in front that says whether the response has been asked for since its
    /// neighbours were last looked through. Most of what isn't looked for is passed over by them alone, without its memory
    /// being touched.
    private var tags: [UInt32]
    private let seed = UInt64.random(in: .min ... .max)

    /// - Parameter capacity: For how many responses there is room at least.
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

    /// Keeps a response under its key, in place of one that it had.
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
        places[place ?? first] = response
        tags[place ?? first] = Self.tag(of: hash)
    }

    /// Lets go of all of them.
    mutating func removeAll() {
        for place in places.indices { places[place] = nil }
    }

    private static let usedBit: UInt32 = 1 << 31
    private static let tagBits = ~usedBit

    /// Other bits than those that make the place.
    private static func tag(of hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) & tagBits }

    private static func roundedUpToPowerOfTwo(_ number: Int) -> Int {
        1 << (Int.bitWidth - (number - 1).leadingZeroBitCount)
    }

    private func firstPlace(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash) & (places.count - 1) & ~(Self.ways - 1)
    }

    /// Multiplies and folds eight bytes at a time. Whoever finds keys that share a place only makes answers be prepared
    /// again.
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
