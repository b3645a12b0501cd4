import CDeflate

/// libdeflate's decompressor for bare deflate data (RFC 1951) that is in memory as a whole: three times as fast as zlib,
/// which can do the same in pieces.
final class BlockInflater {
    /// How a decompression ended.
    enum Outcome: Equatable {
        /// The output was filled by exactly the input.
        case complete
        /// The data ended before the output was full, or would have gone on.
        case wrongSize
        /// The data ended before the input did.
        case excessInput
        /// The data isn't deflate's, or ends too early.
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
