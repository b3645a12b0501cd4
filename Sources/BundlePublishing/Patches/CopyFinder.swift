import BundleInstall
import BundleStore

/// Finds what a patch copies: long runs of bytes that both releases have. The new release is searched for blocks of the old
/// one wherever they are (Tridgell & Mackerras, “The rsync algorithm”, 1996), and what is equal around them is taken along.
struct CopyFinder {
    /// The shortest copy in bytes. A copy takes some five bytes of a patch; Zstandard, which compresses what isn't copied,
    /// takes some twelve for each 128 KB that are equal, and less between changes that are near each other.
    static let minimumByteCount = 4 << 10
    /// After how many bytes of the new release it looks whether the task was cancelled.
    private static let pieceByteCount = 1 << 18

    /// The same bytes in both releases.
    private struct Run {
        var old: Int
        var new: Int
        var byteCount: Int
        var newEnd: Int { new + byteCount }
    }

    private let old: UnsafeRawBufferPointer
    private let new: UnsafeRawBufferPointer
    private let index: BlockIndex
    private var instructions = PatchInstructions()
    /// The ends of the last copy.
    private var (oldEnd, newEnd) = (0, 0)

    /// - Throws: `CancellationError` when the task is cancelled.
    static func instructions(
        from old: UnsafeRawBufferPointer,
        to new: UnsafeRawBufferPointer
    ) throws -> PatchInstructions {
        var finder = CopyFinder(old, new)
        try finder.run()
        return finder.instructions
    }

    private init(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer) {
        self.old = old
        self.new = new
        index = BlockIndex(of: old)
    }

    private mutating func run() throws {
        let blockByteCount = BlockIndex.blockByteCount
        var position = 0
        while position + blockByteCount <= new.count {
            let end = min(position + Self.pieceByteCount, new.count - blockByteCount)
            try Task.checkCancellation()
            position = search(position...end)
        }
    }

    /// Looks for a run that begins with a block in a range of the new release, and copies it.
    ///
    /// - Returns: Where to go on.
    private mutating func search(_ positions: ClosedRange<Int>) -> Int {
        let blockByteCount = BlockIndex.blockByteCount
        var hash = RollingHash(of: new[positions.lowerBound..<positions.lowerBound + blockByteCount])
        var next = positions.lowerBound
        for position in positions {
            if position >= next, let start = index.start(ofBlock: hash.value) {
                let run = longest(at: position, old: start)
                if run.byteCount >= Self.minimumByteCount {
                    copy(run)
                    return run.newEnd
                }
                // Nearer blocks would only find the same run again.
                next = max(next, run.newEnd - blockByteCount + 1)
            }
            guard position < positions.upperBound else { break }
            hash.roll(from: new[position], to: new[position + blockByteCount])
        }
        return positions.upperBound + 1
    }

    /// The longer of two runs: with the block that was found, and straight on from the last copy, as after a change that
    /// keeps the length. The other may be one of many equal blocks.
    private func longest(at position: Int, old start: Int) -> Run {
        let found = run(at: position, old: start)
        let straight = run(at: position, old: oldEnd + position - newEnd)
        return straight.byteCount >= found.byteCount ? straight : found
    }

    /// What is equal around two positions; of length 0 when nothing is.
    private func run(at position: Int, old start: Int) -> Run {
        guard start < old.count else { return Run(old: start, new: position, byteCount: 0) }
        var before = 0
        while before < min(position - newEnd, start), old[start - before - 1] == new[position - before - 1] {
            before += 1
        }
        let limit = min(old.count - start, new.count - position)
        var after = 0
        while after < limit, old[start + after] == new[position + after] { after += 1 }
        return Run(old: start - before, new: position - before, byteCount: before + after)
    }

    private mutating func copy(_ run: Run) {
        let range = run.old..<run.old + run.byteCount
        instructions.append(PatchInstructions.Copy(addedByteCount: run.new - newEnd, range: range))
        (oldEnd, newEnd) = (range.upperBound, run.newEnd)
    }
}

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
