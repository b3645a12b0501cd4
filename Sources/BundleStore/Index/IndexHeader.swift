/// The header of a version index, validated so that every table lies inside the file.
struct IndexHeader {
    let entryCount: Int
    let pathBucketCount: Int
    let digestBucketCount: Int
    let segmentCount: Int
    let mediaTypeCount: Int
    /// Whether the entries say which names have a hash in them; those of earlier programs don't.
    let marksNames: Bool
    let entriesOffset: Int
    let pathBucketsOffset: Int
    let digestBucketsOffset: Int
    let segmentsOffset: Int
    let mediaTypesOffset: Int
    let namesOffset: Int
    let pathKey: SipHash.Key

    /// Returns nil when a table lies outside `bytes` or a bucket count isn't a power of two.
    ///
    /// - Parameter bytes: The whole file, at least ``IndexFormat/headerByteCount`` bytes.
    init?(_ bytes: UnsafeRawBufferPointer) {
        func count(at offset: Int) -> Int { Int(bytes.littleEndian(at: offset, as: UInt32.self)) }
        func offset(at offset: Int) -> Int { Int(clamping: bytes.littleEndian(at: offset, as: UInt64.self)) }
        entryCount = count(at: 24)
        pathBucketCount = count(at: 28)
        digestBucketCount = count(at: 32)
        segmentCount = count(at: 36)
        mediaTypeCount = count(at: 40)
        marksNames = count(at: 44) == 1
        entriesOffset = offset(at: 48)
        pathBucketsOffset = offset(at: 56)
        digestBucketsOffset = offset(at: 64)
        segmentsOffset = offset(at: 72)
        mediaTypesOffset = offset(at: 80)
        namesOffset = offset(at: 88)
        pathKey = SipHash.Key(low: bytes.littleEndian(at: 128), high: bytes.littleEndian(at: 136))

        let tables = [
            (entriesOffset, entryCount * IndexFormat.entryByteCount),
            (pathBucketsOffset, pathBucketCount * IndexFormat.bucketByteCount),
            (digestBucketsOffset, digestBucketCount * IndexFormat.bucketByteCount),
            (segmentsOffset, segmentCount * IndexFormat.segmentByteCount),
            (mediaTypesOffset, mediaTypeCount * IndexFormat.mediaTypeByteCount),
            (namesOffset, 0),
        ]
        guard tables.allSatisfy({ start, size in start <= bytes.count && size <= bytes.count - start }),
            pathBucketCount.nonzeroBitCount == 1, digestBucketCount.nonzeroBitCount == 1
        else { return nil }
    }

    func segments(in bytes: UnsafeRawBufferPointer) -> [FileIdentifier] {
        (0..<segmentCount).map { number in
            let start = segmentsOffset + number * IndexFormat.segmentByteCount
            return FileIdentifier(
                value: UInt128(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt128.self))
            )
        }
    }

    func mediaTypes(in bytes: UnsafeRawBufferPointer) -> [String] {
        (0..<mediaTypeCount).map { number in
            let position = mediaTypesOffset + number * IndexFormat.mediaTypeByteCount
            let start = namesOffset + Int(bytes.littleEndian(at: position, as: UInt32.self))
            let end = start + Int(bytes.littleEndian(at: position + 4, as: UInt32.self))
            return end <= bytes.count ? String(decoding: bytes[start..<end], as: UTF8.self) : ""
        }
    }
}
