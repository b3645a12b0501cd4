/// SplitMix64: the same numbers in every run, so that a failure can be repeated. Not thread-safe, like other
/// generators.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Makes a generator whose numbers depend on `seed` alone.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next number, uniformly distributed.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A text of up to `maximumCount` pieces taken from `pieces`.
    package mutating func text(of pieces: [String], maximumCount: Int = 24) -> String {
        (0..<Int.random(in: 0...maximumCount, using: &self)).map { _ in pieces.randomElement(using: &self) ?? "" }
            .joined()
    }

    /// Noise that no coding compresses.
    package mutating func noise(_ count: Int) -> [UInt8] {
        var words = (0..<count / 8 + 1).map { _ in next() }
        return words.withUnsafeMutableBytes { Array($0.prefix(count)) }
    }

    /// Cheap noise for megabytes: a short block, repeated at a distance that isn't a power of two.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        let piece = (0..<min(count, 4_093)).map { _ in UInt8(truncatingIfNeeded: next()) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + piece.count)
        while bytes.count < count { bytes.append(contentsOf: piece) }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
