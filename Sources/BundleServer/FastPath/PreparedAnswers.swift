/// Prepared answers by the bytes of the requests that get them: a table of fixed size, in which a new answer takes the place
/// of one that hasn't been asked for lately.
///
/// For one event loop alone; copies would share nothing.
struct PreparedAnswers: ~Copyable {
    /// An answer may be in any of this many places.
    private static let ways = 4

    private var places: [PreparedAnswer?]
    /// Whether an answer has been asked for since its neighbours were last looked through.
    private var isUsed: [Bool]
    private let seed = UInt64.random(in: .min ... .max)

    /// - Parameter capacity: For how many answers there is room at least.
    init(capacity: Int) {
        let capacity = Self.roundedUpToPowerOfTwo(max(capacity, Self.ways))
        places = Array(repeating: nil, count: capacity)
        isUsed = Array(repeating: false, count: capacity)
    }

    /// The answer with this key.
    mutating func answer(for key: UnsafeRawBufferPointer) -> PreparedAnswer? {
        let first = firstPlace(of: key)
        for place in first..<first + Self.ways {
            if let answer = places[place], answer.hasKey(key) {
                isUsed[place] = true
                return answer
            }
        }
        return nil
    }

    /// Keeps an answer under its key, in place of one that it had.
    mutating func insert(_ answer: PreparedAnswer, for key: UnsafeRawBufferPointer) {
        let first = firstPlace(of: key)
        let candidates = first..<first + Self.ways
        var place =
            candidates.first { places[$0]?.hasKey(key) == true } ?? candidates.first { places[$0] == nil }
            ?? candidates.first { !isUsed[$0] }
        if place == nil {
            for candidate in candidates { isUsed[candidate] = false }
            place = first
        }
        places[place ?? first] = answer
    }

    /// Lets go of all of them.
    mutating func removeAll() {
        for place in places.indices { places[place] = nil }
    }

    private static func roundedUpToPowerOfTwo(_ number: Int) -> Int {
        1 << (Int.bitWidth - (number - 1).leadingZeroBitCount)
    }

    private func firstPlace(of key: UnsafeRawBufferPointer) -> Int {
        Int(truncatingIfNeeded: hash(key)) & (places.count - 1) & ~(Self.ways - 1)
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
