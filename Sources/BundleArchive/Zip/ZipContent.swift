/// Where the data of an entry is, and what must come out of it.
struct ZipContent: Sendable {
    let file: ArchiveFile
    /// The entry's name, for errors.
    let entryName: String
    let method: ZipMethod
    /// Where the data starts in the file.
    let offset: Int64
    /// The number of bytes of the data in the file.
    let compressedByteCount: Int64
    /// The number of bytes that must come out of it.
    let byteCount: Int64
    /// Their CRC-32.
    let checksum: UInt32
    /// When reading must have ended.
    let deadline: Deadline
}
