/// A hash table in a mapped file: linear probing over buckets that hold an entry's number plus one, or zero.
struct BucketTable: Sendable {
    let offset: Int
    let count: Int

    /// The number of the first entry in the probe sequence of `hash` that `match` accepts.
    @inline(__always)
    func first(
        of hash: UInt64,
        in bytes: UnsafeRawBufferPointer,
        where match: (Int) -> Bool
    ) -> Int? {
        let mask = count - 1
        var bucket = Int(truncatingIfNeeded: hash) & mask
        // Bounded, because a damaged table may have no empty bucket.
        for _ in 0..<count {
            let number: UInt32 = bytes.littleEndian(at: offset + bucket * IndexFormat.bucketByteCount)
            if number == 0 { return nil }
            if match(Int(number) - 1) { return Int(number) - 1 }
            bucket = (bucket + 1) & mask
        }
        return nil
    }
}

/// The buckets of a hash table that is to be written.
///
/// Not thread-safe.
struct BucketTableBuilder {
    private let buckets: TableMemory<UInt32>
    /// The upper half of each bucket's hash, to tell different contents apart. If two contents are taken for equal by
    /// mistake, the second just isn't found by its digest.
    private let upperHalves: TableMemory<UInt32>?

    /// - Parameters:
    ///   - entryCount: The maximum number of entries.
    ///   - keepsRepeats: Whether all entries with equal hashes can be found; otherwise the first represents them, so
    ///     that ten thousand equal contents don't make one long probe sequence.
    init(entryCount: Int, keepsRepeats: Bool) {
        let count = IndexFormat.bucketCount(for: entryCount)
        buckets = TableMemory(count: count)
        upperHalves = keepsRepeats ? nil : TableMemory(count: count)
    }

    /// The number of buckets.
    var count: Int { buckets.count }

    /// Inserts the entry with this number.
    func insert(_ number: Int, hash: UInt64) {
        let mask = buckets.count - 1
        let upperHalf = UInt32(truncatingIfNeeded: hash >> 32)
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while buckets[bucket] != 0 {
            if let upperHalves, upperHalves[bucket] == upperHalf { return }
            bucket = (bucket + 1) & mask
        }
        // In the byte order of the file.
        buckets[bucket] = UInt32(truncatingIfNeeded: number + 1).littleEndian
        upperHalves?[bucket] = upperHalf
    }

    /// Provides the buckets as they are in the file.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try buckets.withUnsafeBytes(body)
    }
}
