import Zstandard

/// A small document as one Zstandard frame (RFC 8878). Safe to call from any thread.
package enum ZstandardFrame {
    private static let level: Int32 = 19
    /// 8 MB: what every decoder supports (RFC 8878 §3.1.1.1.2).
    private static let windowLog: Int32 = 23
    private static let pieceByteCount = 1 << 17

    /// Returns nil when memory runs out.
    package static func encode(_ content: [UInt8]) -> [UInt8]? {
        guard let encoder = ZSTD_createCCtx() else { return nil }
        defer { ZSTD_freeCCtx(encoder) }
        ZSTD_CCtx_setParameter(encoder, ZSTD_c_compressionLevel, level)
        ZSTD_CCtx_setParameter(encoder, ZSTD_c_windowLog, windowLog)
        let bound = ZSTD_compressBound(content.count)
        let bytes = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            let written = ZSTD_compress2(encoder, buffer.baseAddress, bound, content, content.count)
            count = ZSTD_isError(written) == 0 ? written : 0
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Returns nil unless the bytes are exactly one frame that decodes to at most `maximumByteCount` bytes.
    package static func decode(_ bytes: [UInt8], maximumByteCount: Int) -> [UInt8]? {
        guard let decoder = ZSTD_createDCtx() else { return nil }
        defer { ZSTD_freeDCtx(decoder) }
        ZSTD_DCtx_setParameter(decoder, ZSTD_d_windowLogMax, windowLog)
        return bytes.withUnsafeBytes { bytes in
            var content: [UInt8] = []
            // What it claims saves copies of what has been decoded; memory that isn't written costs nothing.
            let claimed = ZSTD_getFrameContentSize(bytes.baseAddress, bytes.count)
            if claimed <= UInt64(maximumByteCount) { content.reserveCapacity(Int(claimed)) }
            var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
            let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)
            defer { piece.deallocate() }
            while true {
                var output = ZSTD_outBuffer(dst: piece.baseAddress, size: piece.count, pos: 0)
                let before = input.pos
                let result = ZSTD_decompressStream(decoder, &output, &input)
                guard ZSTD_isError(result) == 0, content.count + output.pos <= maximumByteCount else { return nil }
                content += piece[..<output.pos]
                if result == 0 { return input.pos == input.size ? content : nil }
                // No input used and no output written: the frame is truncated.
                guard output.pos > 0 || input.pos > before else { return nil }
            }
        }
    }
}
