import CDeflate
import CZlib

/// zlib's decompressor for raw deflate data (RFC 1951), with its input buffer.
final class Inflater {
    private static let inputByteCount = 64 << 10
    /// Negative for data without a header or trailer; 15 for deflate's window of 32 KiB.
    private static let windowBits: Int32 = -15

    // zlib keeps the stream's address, so the stream must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var input: UnsafeMutableRawBufferPointer?
    /// Whether the end of the compressed data has been reached.
    private(set) var hasEnded = false

    init() {
        stream.initialize(to: z_stream())
    }

    deinit {
        if input != nil { inflateEnd(stream) }
        input?.deallocate()
        stream.deallocate()
    }

    /// Whether all input has been used.
    var isHungry: Bool { stream.pointee.avail_in == 0 }

    /// Prepares for other data.
    func reset() throws(ArchiveError) {
        hasEnded = false
        stream.pointee.next_in = nil
        stream.pointee.avail_in = 0
        guard input == nil else {
            inflateReset(stream)
            return
        }
        let version = ZLIB_VERSION
        guard inflateInit2_(stream, Self.windowBits, version, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .noMemory
        }
        input = .allocate(byteCount: Self.inputByteCount, alignment: 16)
    }

    /// Reads new input after all has been used.
    ///
    /// - Parameter read: Fills the start of the buffer and returns the number of bytes.
    /// - Returns: What `read` returned.
    func feed(
        atMost count: Int,
        _ read: (UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int
    ) throws(ArchiveError) -> Int {
        guard let input else { return 0 }
        let count = try read(UnsafeMutableRawBufferPointer(rebasing: input.prefix(count)))
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: Bytef.self)
        stream.pointee.avail_in = uInt(count)
        return count
    }

    /// Decompresses into `buffer`, whose size is between 1 byte and 4 GiB, until it is full, the input is used up, or the
    /// data ends.
    ///
    /// - Parameter isLast: Whether no output should follow once `buffer` is full, which saves zlib a copy.
    /// - Returns: The number of bytes written.
    func inflate(into buffer: UnsafeMutableRawBufferPointer, isLast: Bool) throws(ArchiveError) -> Int {
        let inputCount = stream.pointee.avail_in
        stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: Bytef.self)
        stream.pointee.avail_out = uInt(buffer.count)
        let status = CZlib.inflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
        let count = buffer.count - Int(stream.pointee.avail_out)
        stream.pointee.next_out = nil
        hasEnded = status == Z_STREAM_END
        // Without progress the input was incomplete.
        let isProgress = count > 0 || stream.pointee.avail_in < inputCount
        guard hasEnded || [Z_OK, Z_BUF_ERROR].contains(status) && isProgress else { throw .brokenDeflate }
        return count
    }

    /// Continues to the end of the data, which must come before any further output.
    ///
    /// - Returns: Whether there was no further output.
    func finish() throws(ArchiveError) -> Bool {
        var excess: UInt8 = 0
        return try withUnsafeMutableBytes(of: &excess) { buffer throws(ArchiveError) in
            try inflate(into: buffer, isLast: true) == 0
        }
    }
}

/// libdeflate's decompressor for raw deflate data (RFC 1951) that is completely in memory: three times as fast as zlib,
/// which can decompress in pieces.
final class BlockInflater {
    /// The result of a decompression.
    enum Outcome: Equatable {
        /// All of the input produced exactly the expected output.
        case complete
        /// The data ended before the output was full, or would have continued.
        case wrongSize
        /// The data ended before the input did.
        case excessInput
        /// The data isn't deflate, or is truncated.
        case damaged
    }

    /// The longest input in bytes that is worth holding in memory.
    static let maximumInputByteCount: Int64 = 2 << 20

    private var decompressor: OpaquePointer?

    init() {}

    deinit {
        libdeflate_free_decompressor(decompressor)
    }

    /// Decompresses `input`, of at most ``maximumInputByteCount``, into `output`. Never writes beyond it.
    func inflate(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) -> Outcome {
        let decompressor = try prepared()
        var (consumed, produced) = (0, 0)
        let result = libdeflate_deflate_decompress_ex(
            decompressor,
            input.baseAddress,
            input.count,
            output.baseAddress,
            output.count,
            &consumed,
            &produced
        )
        switch result {
        case LIBDEFLATE_SUCCESS:
            return produced != output.count ? .wrongSize : consumed != input.count ? .excessInput : .complete
        case LIBDEFLATE_INSUFFICIENT_SPACE, LIBDEFLATE_SHORT_OUTPUT:
            return .wrongSize
        default:
            return .damaged
        }
    }

    private func prepared() throws(ArchiveError) -> OpaquePointer {
        if let decompressor { return decompressor }
        guard let made = libdeflate_alloc_decompressor() else {
            throw .noMemory
        }
        decompressor = made
        return made
    }
}

/// The checksum of gzip and zip (RFC 1952, section 8).
package struct CRC32 {
    /// The checksum of everything so far.
    package private(set) var value: UInt32 = 0

    package init() {}

    /// Appends `bytes`.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        // Without a base address libdeflate would return the checksum of no bytes and lose the current one.
        guard let start = bytes.baseAddress else { return }
        value = libdeflate_crc32(value, start, bytes.count)
    }
}
