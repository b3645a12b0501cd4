import Zstandard

/// Zstandard (RFC 8878), including skippable frames. libzstd compares each frame with its checksum if it has one.
package final class ZstandardDecompressor: Decompressor {
    private let context: OpaquePointer
    private var isInFrame = true
    /// Whether the decompressor may return more output without more input.
    private var mayHoldOutput = false

    package init() throws(ArchiveError) {
        guard let context = ZSTD_createDCtx() else { throw .noMemory }
        self.context = context
        let exponent = Int32(DecompressionWindow.maximumByteCount.trailingZeroBitCount)
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, exponent)
    }

    deinit {
        ZSTD_freeDCtx(context)
    }

    package func read(from input: FileStream, into output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        var count = 0
        while count == 0 {
            guard try input.fill() || mayHoldOutput else {
                guard !isInFrame else { throw .endsTooEarly }
                return 0
            }
            count = try decode(input, into: output)
        }
        return count
    }

    private func decode(
        _ input: FileStream,
        into output: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) -> Int {
        var from = ZSTD_inBuffer(src: input.unused.baseAddress, size: input.unused.count, pos: 0)
        var into = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let rest = ZSTD_decompressStream(context, &into, &from)
        guard ZSTD_isError(rest) == 0 else { throw try failure(rest, input) }
        input.use(from.pos)
        isInFrame = rest != 0
        mayHoldOutput = isInFrame && into.pos == into.size
        return into.pos
    }

    private func failure(_ result: Int, _ input: FileStream) throws(ArchiveError) -> ArchiveError {
        switch ZSTD_getErrorCode(result) {
        case ZSTD_error_frameParameter_windowTooLarge:
            return .windowTooLarge(advice: "repack it with “zstd -19” or less, and without --long")
        case ZSTD_error_prefix_unknown:
            return .followed(byZeros: try input.endsInZeros())
        case ZSTD_error_checksum_wrong:
            return .damagedCompression("its Zstandard checksum doesn't match")
        case ZSTD_error_dictionary_wrong, ZSTD_error_frameParameter_unsupported, ZSTD_error_version_unsupported:
            return ArchiveError(
                .unsupportedFormat,
                "uses a feature of Zstandard that isn't supported, such as a dictionary",
                advice: "repack it with “zstd -19”"
            )
        case ZSTD_error_memory_allocation:
            return .noMemory
        default:
            return .damagedCompression("Zstandard: \(String(cString: ZSTD_getErrorName(result)))")
        }
    }
}
