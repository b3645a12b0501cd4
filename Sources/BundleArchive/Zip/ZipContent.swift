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

/// The content of one file of a zip, still compressed in the archive. It can be decoded at any time and on any thread,
/// while other files are decoded and while the ``ArchiveReader`` that returned it continues. It keeps the archive's
/// file open.
///
/// A value type; safe to share between threads.
package struct DeferredContent: Sendable {
    private let content: ZipContent
    /// The file's length in bytes as declared in the archive, within ``ArchiveLimits``.
    package let byteCount: Int

    /// How many bytes of the archive it holds in memory.
    package let heldByteCount: Int

    /// Where the compressed bytes are in the archive.
    package var extent: CompressedExtent {
        CompressedExtent(
            offset: content.range.lowerBound,
            byteCount: content.compressedByteCount,
            isDeflated: content.method == .deflated
        )
    }

    init(_ content: ZipContent) {
        self.content = content
        heldByteCount = content.bytes?.count ?? 0
        byteCount = Int(clamping: content.byteCount)
    }

    /// Decodes the file and verifies it: exactly ``byteCount`` bytes, from exactly the compressed bytes, with the right
    /// CRC-32.
    ///
    /// - Parameters:
    ///   - buffer: Receives the bytes; its `count` must be ``byteCount``. Its content is undefined after an error.
    ///   - decoder: The decoder to use. Give each thread its own and reuse it: creating one costs more than decoding a
    ///     small file.
    /// - Throws: ``ArchiveError`` with code `damaged` when the data doesn't match the archive's declarations,
    ///   `limitExceeded` when the time limit has passed, `truncated` when the file has become shorter, or `unreadable`
    ///   when the disk fails.
    package func decode(
        into buffer: UnsafeMutableRawBufferPointer,
        using decoder: ZipDecoder = ZipDecoder()
    ) throws(ArchiveError) {
        precondition(buffer.count == byteCount, "The buffer must have the size of the file.")
        do throws(ArchiveError) {
            try decoder.decode(content, into: buffer)
        } catch {
            throw error.concerning(content.entryName).located(at: content.file.path)
        }
    }
}

/// The supported compression methods.
enum ZipMethod {
    /// Not compressed.
    case stored
    /// Deflate (RFC 1951), as in nearly every zip.
    case deflated

    /// The number that stands for AES, with the actual method in an extra field.
    private static let aes: UInt16 = 99
    /// APPNOTE 6.3.10, section 4.4.5.
    private static let names: [UInt16: String] = [
        1: "Shrink", 2: "Reduce", 3: "Reduce", 4: "Reduce", 5: "Reduce", 6: "Implode", 9: "Deflate64",
        10: "PKWARE Implode", 12: "bzip2", 14: "LZMA", 16: "IBM CMPSC", 18: "IBM TERSE", 19: "IBM LZ77",
        20: "Zstandard", 93: "Zstandard", 94: "MP3", 95: "XZ", 96: "JPEG", 97: "WavPack", 98: "PPMd",
    ]

    /// The method with this number.
    init(_ number: UInt16) throws(ArchiveError) {
        switch number {
        case 0: self = .stored
        case 8: self = .deflated
        case Self.aes: throw .encrypted
        default:
            let name = Self.names[number] ?? "an unknown method"
            throw ArchiveError(
                .unsupportedFormat,
                "is compressed with \(name) (method \(number)), which isn't supported",
                advice: "repack it with deflate, the usual method"
            )
        }
    }
}
