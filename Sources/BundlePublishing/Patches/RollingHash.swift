/// A hash of a block of bytes that moves on by a byte in a few instructions: a polynomial over the bytes, modulo 2^64
/// (Karp & Rabin, “Efficient randomized pattern-matching algorithms”, 1987). Equal hashes mean little; compare the bytes.
struct RollingHash {
    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

    private(set) var value: UInt64 = 0
    /// What the first byte of the block counts.
    private let weight: UInt64

    init(of block: Slice<UnsafeRawBufferPointer>) {
        var weight: UInt64 = 1
        for byte in block {
            value = value &* Self.factor &+ UInt64(byte) &+ 1
            weight = weight &* Self.factor
        }
        self.weight = weight
    }

    /// Moves the block on by a byte.
    mutating func roll(from first: UInt8, to next: UInt8) {
        value = value &* Self.factor &+ UInt64(next) &+ 1 &- weight &* (UInt64(first) &+ 1)
    }
}
