/// Where the data of an entry is, and what must come out of it. A class, so that it is quickly handed on.
final class ZipContent: Sendable {
    let file: ArchiveFile
    /// The entry's name, for errors.
    let entryName: String
    let method: ZipMethod
    /// Where the data is in the file.
    let range: Range<Int64>
    /// What has been read of the file around it, if all of the data is in it.
    let block: FileBlock?
    /// The number of bytes that must come out of it.
    let byteCount: Int64
    /// Their CRC-32.
    let checksum: UInt32
    /// When reading must have ended.
    let deadline: Deadline

    init(
        file: ArchiveFile,
        entryName: String,
        method: ZipMethod,
        range: Range<Int64>,
        block: FileBlock?,
        byteCount: Int64,
        checksum: UInt32,
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

    /// The data, valid as long as the block; nil when it is still to be read.
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
