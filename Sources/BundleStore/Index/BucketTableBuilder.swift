/// The buckets of a hash table that is about to be written.
///
/// Not thread-safe.
struct BucketTableBuilder {
    private let buckets: TableMemory<UInt32>
    /// The upper half of each bucket's hash, to tell a content that is in the table from another one. Two contents that are
    /// taken for equal by mistake only mean that the second isn't found by its digest.
    private let upperHalves: TableMemory<UInt32>?

    /// - Parameters:
    ///   - entryCount: How many entries there will be at most.
    ///   - keepsRepeats: Whether entries with equal hashes are all findable; else the first stands for them, so that ten
    ///     thousand equal contents don't make one long probe sequence.
    init(entryCount: Int, keepsRepeats: Bool) {
        let count = IndexFormat.bucketCount(for: entryCount)
        buckets = TableMemory(count: count)
        upperHalves = keepsRepeats ? nil : TableMemory(count: count)
    }

    /// The number of buckets.
    var count: Int { buckets.count }

    /// Enters the entry with this number.
    func insert(_ number: Int, hash: UInt64) {
        let mask = buckets.count - 1
        let upperHalf = UInt32(truncatingIfNeeded: hash >> 32)
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while buckets[bucket] != 0 {
            if let upperHalves, upperHalves[bucket] == upperHalf { return }
            bucket = (bucket + 1) & mask
        }
        // As it is in the file.
        buckets[bucket] = UInt32(truncatingIfNeeded: number + 1).littleEndian
        upperHalves?[bucket] = upperHalf
    }

    /// Lends the buckets as they are in the file.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try buckets.withUnsafeBytes(body)
    }
}
