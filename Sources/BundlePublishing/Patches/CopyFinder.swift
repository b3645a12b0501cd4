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
