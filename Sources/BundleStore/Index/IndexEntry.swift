/// One file of a release, as its version index describes it.
struct IndexEntry: Sendable {
    /// Its position in path order, from 0.
    let number: Int
    let path: Range<Int>
    let mediaType: Int
    let segment: Int
    let offset: UInt64
    let byteCount: UInt64
    let digest: Digest
    private let encodedMark: UInt32

    /// Reads an entry from ``IndexFormat/entryByteCount`` bytes.
    init(_ bytes: UnsafeRawBufferPointer, number: Int) {
        precondition(bytes.count == IndexFormat.entryByteCount)
        self.number = number
        path = Self.path(bytes, at: 0)
        mediaType = Int(bytes.littleEndian(at: 6, as: UInt16.self))
        segment = Int(bytes.littleEndian(at: 8, as: UInt32.self))
        encodedMark = bytes.littleEndian(at: 12)
        offset = bytes.littleEndian(at: 16)
        byteCount = bytes.littleEndian(at: 24)
        digest = Digest(unchecked: UnsafeRawBufferPointer(rebasing: bytes[32..<64]))
    }

    /// What the index says of the name; nothing that counts in an index that doesn't mark names.
    var mark: NameMark { NameMark(encodedMark, pathByteCount: path.count) }

    /// The range of the path among the names, for the entry that begins at `offset`: all that a look-up needs of most
    /// entries.
    static func path(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Range<Int> {
        let start = Int(bytes.littleEndian(at: offset, as: UInt32.self))
        return start..<start + Int(bytes.littleEndian(at: offset + 4, as: UInt16.self))
    }
}
