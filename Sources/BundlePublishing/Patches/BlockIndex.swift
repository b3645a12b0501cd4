/// Finds the blocks of a content by their hashes. A value type; safe to share between threads.
///
/// Of several blocks with the same hash, the first counts.
struct BlockIndex {
    /// The length of a block in bytes.
    static let blockByteCount = 1 << 10

    /// By the block's number.
    private var hashes: [UInt64] = []
    /// A hash table with open addressing: 0, or a block's number plus 1. At most half of it is in use.
    private var slots: [UInt32]

    init(of content: UnsafeRawBufferPointer) {
        let count = content.count / Self.blockByteCount
        slots = Array(repeating: 0, count: 1 << (Int.bitWidth - (2 * count).leadingZeroBitCount))
        hashes.reserveCapacity(count)
        for start in stride(from: 0, to: count * Self.blockByteCount, by: Self.blockByteCount) {
            add(RollingHash(of: content[start..<start + Self.blockByteCount]).value)
        }
    }

    private mutating func add(_ hash: UInt64) {
        hashes.append(hash)
        let slot = slot(of: hash)
        if slots[slot] == 0 { slots[slot] = UInt32(hashes.count) }
    }

    /// Where the block with a hash starts; nil when there is none.
    func start(ofBlock hash: UInt64) -> Int? {
        let number = Int(slots[slot(of: hash)])
        return number == 0 ? nil : (number - 1) * Self.blockByteCount
    }

    /// The slot that has a block with this hash, or is free.
    private func slot(of hash: UInt64) -> Int {
        let mask = slots.count - 1
        // The low bits of a polynomial depend on the low bits of the bytes alone.
        var slot = Int(truncatingIfNeeded: (hash &* 0xD6E8_FEB8_6659_FD93) >> 32) & mask
        while slots[slot] != 0, hashes[Int(slots[slot]) - 1] != hash { slot = (slot + 1) & mask }
        return slot
    }
}
