import CBrotli

/// Brotli (RFC 7932) through Google's library.
enum BrotliCoding {
    /// Up to this length the highest quality is used, which takes one or two seconds. From here on a quality that takes
    /// a twentieth of the time.
    private static let thoroughByteCount = 1 << 20
    private static let pieceByteCount = 1 << 16

    /// Returns the number of bytes written, or 0 when they don't fit.
    static func encode(_ content: UnsafeRawBufferPointer, into result: UnsafeMutableRawBufferPointer) -> Int {
        var count = result.count
        let isDone = BrotliEncoderCompress(
            content.count <= thoroughByteCount ? BROTLI_MAX_QUALITY : 9,
            // 4 MB, so that clients need no larger window to decode.
            22,
            BROTLI_MODE_GENERIC,
            content.count,
            content.baseAddress?.assumingMemoryBound(to: UInt8.self),
            &count,
            result.baseAddress?.assumingMemoryBound(to: UInt8.self)
        )
        return isDone == BROTLI_TRUE ? count : 0
    }

    /// Passes the decoded bytes to `take` in pieces, until that returns false. Returns whether the stream was decoded
    /// to its end and nothing follows it.
    static func decode(_ coded: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        guard let decoder = BrotliDecoderCreateInstance(nil, nil, nil) else { return false }
        defer { BrotliDecoderDestroyInstance(decoder) }
        var (input, inputCount) = (coded.baseAddress?.assumingMemoryBound(to: UInt8.self), coded.count)
        let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: pieceByteCount)
        defer { piece.deallocate() }
        while true {
            var (output, room) = (piece.baseAddress, piece.count)
            let result = BrotliDecoderDecompressStream(decoder, &inputCount, &input, &room, &output, nil)
            guard take(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[..<(piece.count - room)])) else {
                return false
            }
            if result == BROTLI_DECODER_RESULT_SUCCESS { return inputCount == 0 }
            guard result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT else { return false }
        }
    }
}
