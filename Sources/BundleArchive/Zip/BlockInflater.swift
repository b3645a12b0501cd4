import CDeflate

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
