/// One file of a release, as its version index describes it.
struct IndexEntry: Sendable {
    /// Its place in the order of paths, from 0.
    let number: Int
    let path: Range<Int>
    let mediaType: Int
    let segment: Int
    let offset: UInt64
    let byteCount: UInt64
    let digest: Digest

    /// Reads an entry from ``IndexFormat/entryByteCount`` bytes.
    init(_ bytes: UnsafeRawBufferPointer, number: Int) {
        precondition(bytes.count == IndexFormat.entryByteCount)
        self.number = number
        let start = Int(bytes.littleEndian(at: 0, as: UInt32.self))
        path = start..<start + Int(bytes.littleEndian(at: 4, as: UInt16.self))
        mediaType = Int(bytes.littleEndian(at: 6, as: UInt16.self))
        segment = Int(bytes.littleEndian(at: 8, as: UInt32.self))
        offset = bytes.littleEndian(at: 16)
        byteCount = bytes.littleEndian(at: 24)
        digest = Digest(unchecked: UnsafeRawBufferPointer(rebasing: bytes[32..<64]))
    }
}
