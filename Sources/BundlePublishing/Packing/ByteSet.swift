/// A set of bytes.
struct ByteSet: Hashable, Sendable {
    private var bits = SIMD4<UInt64>()

    /// Creates an empty set.
    init() {}

    /// Creates a set of the bytes that fulfil a condition.
    init(where isMember: (UInt8) -> Bool) {
        for byte in UInt8.min...UInt8.max where isMember(byte) { insert(byte) }
    }

    /// All bytes that aren't in this set.
    var inverted: ByteSet { ByteSet { !contains($0) } }

    func contains(_ byte: UInt8) -> Bool { bits[Int(byte >> 6)] & 1 << UInt64(byte & 63) != 0 }

    mutating func insert(_ byte: UInt8) { bits[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

    mutating func remove(_ byte: UInt8) { bits[Int(byte >> 6)] &= ~(1 << UInt64(byte & 63)) }

    mutating func formUnion(_ other: ByteSet) { bits |= other.bits }
}
