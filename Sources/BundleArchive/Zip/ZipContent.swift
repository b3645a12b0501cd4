/// The location of an entry's data, and what it must decode to. A class, so that it is cheap to pass on.
final class ZipContent: Sendable {
    let file: ArchiveFile
    /// The entry's name, for errors.
    let entryName: String
    let method: ZipMethod
    /// The range of the data in the file.
    let range: Range<Int64>
    /// The loaded part of the file that contains all of the data, if any.
    let block: FileBlock?
    /// The number of bytes that it must decode to.
    let byteCount: Int64
    /// Their CRC-32; nil when the caller checks them itself.
    let checksum: UInt32?
    /// The time limit for reading.
    let deadline: Deadline

    init(
        file: ArchiveFile,
        entryName: String,
        method: ZipMethod,
        range: Range<Int64>,
        block: FileBlock?,
        byteCount: Int64,
        checksum: UInt32?,
        deadline: Deadline
    ) {
        self.file = file
        self.entryName = entryName
        self.method = method
        self.range = range
        self.block = block
        self.byteCount = byteCount
        self.checksum = checksum
        self.deadline = deadline
    }

    /// The number of bytes of the data in the file.
    var compressedByteCount: Int64 { Int64(range.count) }

    /// The data, valid as long as the block; nil when it hasn't been read yet.
    var bytes: UnsafeRawBufferPointer? { block?.bytes(range) }

    /// Fills `buffer` with the data from `offset` in the file on.
    ///
    /// - Returns: The number of bytes read, which is smaller than the buffer only at the end of the file.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        defer { withExtendedLifetime(block) {} }
        guard let bytes = block?.bytes(offset..<offset + Int64(buffer.count)) else {
            return try file.read(at: offset, into: buffer)
        }
        buffer.copyMemory(from: bytes)
        return buffer.count
    }
}
