/// A hash table in a mapped file: linear probing over buckets that hold an entry's number plus one, or zero.
struct BucketTable: Sendable {
    let offset: Int
    let count: Int

    /// The first entry in the probe sequence of `hash` that `match` accepts.
    func first(
        of hash: UInt64,
        in bytes: UnsafeRawBufferPointer,
        where match: (Int) -> IndexEntry?
    ) -> IndexEntry? {
        let mask = count - 1
        var bucket = Int(truncatingIfNeeded: hash) & mask
        // Bounded, because a damaged table may have no empty bucket.
        for _ in 0..<count {
            let number: UInt32 = bytes.littleEndian(at: offset + bucket * IndexFormat.bucketByteCount)
            if number == 0 { return nil }
            if let entry = match(Int(number) - 1) { return entry }
            bucket = (bucket + 1) & mask
        }
        return nil
    }

    /// The table for these hashes, entry by entry.
    ///
    /// - Parameter keepsRepeats: Whether entries with equal hashes are all findable; else the first stands for them,
    ///   so that ten thousand equal contents don't make one long probe sequence.
    static func make(_ hashes: [UInt64], keepsRepeats: Bool) -> [UInt8] {
        let count = IndexFormat.bucketCount(for: hashes.count)
        var buckets = [UInt32](repeating: 0, count: count)
        for (number, hash) in hashes.enumerated() {
            var bucket = Int(truncatingIfNeeded: hash) & (count - 1)
            while buckets[bucket] != 0, keepsRepeats || hashes[Int(buckets[bucket]) - 1] != hash {
                bucket = (bucket + 1) & (count - 1)
            }
            if buckets[bucket] == 0 { buckets[bucket] = UInt32(number) + 1 }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * IndexFormat.bucketByteCount)
        for bucket in buckets { bytes.appendLittleEndian(bucket) }
        return bytes
    }
}
