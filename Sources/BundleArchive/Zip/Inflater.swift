import CZlib

// Not on Apple's systems, which have no libdeflate.
#if canImport(CDeflate)
    import CDeflate
#endif

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

/// Decompresses raw deflate data (RFC 1951) that is completely in memory. With libdeflate it takes a third of zlib's time.
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

    private let decompressor = BlockDecompressor()

    /// Decompresses `input`, of at most ``maximumInputByteCount``, into `output`. Never writes beyond it.
    func inflate(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) -> Outcome {
        guard let result = try decompressor.inflate(input, into: output) else { return .damaged }
        if result.producedByteCount != output.count || result.wouldContinue { return .wrongSize }
        return result.consumedByteCount == input.count ? .complete : .excessInput
    }
}

/// How far the decompression of a block came.
private struct BlockResult {
    var consumedByteCount = 0
    var producedByteCount = 0
    /// Whether the output was full before the data ended.
    var wouldContinue = false
}

#if canImport(CDeflate)
    private final class BlockDecompressor {
        private var pointer: OpaquePointer?

        deinit {
            libdeflate_free_decompressor(pointer)
        }

        /// Returns nil when the data isn't deflate, or is truncated.
        func inflate(
            _ input: UnsafeRawBufferPointer,
            into output: UnsafeMutableRawBufferPointer
        ) throws(ArchiveError) -> BlockResult? {
            var result = BlockResult()
            let status = libdeflate_deflate_decompress_ex(
                try prepared(),
                input.baseAddress,
                input.count,
                output.baseAddress,
                output.count,
                &result.consumedByteCount,
                &result.producedByteCount
            )
            switch status {
            case LIBDEFLATE_SUCCESS: return result
            case LIBDEFLATE_INSUFFICIENT_SPACE, LIBDEFLATE_SHORT_OUTPUT:
                result.wouldContinue = true
                return result
            default: return nil
            }
        }

        private func prepared() throws(ArchiveError) -> OpaquePointer {
            if let pointer { return pointer }
            guard let made = libdeflate_alloc_decompressor() else { throw .noMemory }
            pointer = made
            return made
        }
    }
#else
    private final class BlockDecompressor {
        /// Negative for data without a header or trailer; 15 for deflate's window of 32 KiB.
        private static let windowBits: Int32 = -15

        // zlib keeps the stream's address, so the stream must not move.
        private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        private var isPrepared = false

        init() {
            stream.initialize(to: z_stream())
        }

        deinit {
            if isPrepared { inflateEnd(stream) }
            stream.deallocate()
        }

        /// Returns nil when the data isn't deflate, or is truncated.
        func inflate(
            _ input: UnsafeRawBufferPointer,
            into output: UnsafeMutableRawBufferPointer
        ) throws(ArchiveError) -> BlockResult? {
            try prepare()
            // zlib takes no null for an output without bytes, and doesn't write to its input.
            var none: UInt8 = 0
            let status = withUnsafeMutablePointer(to: &none) { none in
                stream.pointee.next_in = UnsafeMutableRawPointer(mutating: input.baseAddress)?
                    .assumingMemoryBound(to: Bytef.self)
                stream.pointee.avail_in = uInt(input.count)
                stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self) ?? none
                stream.pointee.avail_out = uInt(output.count)
                return CZlib.inflate(stream, Z_FINISH)
            }
            let result = BlockResult(
                consumedByteCount: input.count - Int(stream.pointee.avail_in),
                producedByteCount: output.count - Int(stream.pointee.avail_out),
                wouldContinue: status != Z_STREAM_END
            )
            switch status {
            case Z_STREAM_END: return result
            // Either the output is full, or the data is truncated.
            case Z_OK, Z_BUF_ERROR: return stream.pointee.avail_out == 0 && stream.pointee.avail_in > 0 ? result : nil
            case Z_MEM_ERROR: throw .noMemory
            default: return nil
            }
        }

        private func prepare() throws(ArchiveError) {
            guard !isPrepared else {
                inflateReset(stream)
                return
            }
            let size = Int32(MemoryLayout<z_stream>.size)
            guard inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, size) == Z_OK else { throw .noMemory }
            isPrepared = true
        }
    }
#endif

/// The checksum of gzip and zip (RFC 1952, section 8).
package struct CRC32 {
    /// The checksum of everything so far.
    package private(set) var value: UInt32 = 0

    package init() {}

    /// Appends `bytes`.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        // Without a base address the libraries would return the checksum of no bytes and lose the current one.
        guard let start = bytes.baseAddress else { return }
        #if canImport(CDeflate)
            value = libdeflate_crc32(value, start, bytes.count)
        #else
            value = UInt32(crc32_z(uLong(value), start.assumingMemoryBound(to: Bytef.self), bytes.count))
        #endif
    }
}
