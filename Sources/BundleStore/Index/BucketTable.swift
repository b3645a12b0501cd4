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
