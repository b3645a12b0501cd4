import CBrotli

/// Brotli (RFC 7932) through Google's library.
enum BrotliCoding {
    /// Up to this length the highest quality is used, which takes one or two seconds. From here on a quality that takes
    /// a twentieth of the time.
    private static let thoroughByteCount = 1 << 20
    private static let pieceByteCount = 1 << 16

    /// Returns the number of bytes written, or 0 when they don't fit.
    static func encode(
        _ content: UnsafeRawBufferPointer,
        into result: UnsafeMutableRawBufferPointer,
        _ giveWay: () throws -> Void
    ) rethrows -> Int {
        guard let encoder = BrotliEncoderCreateInstance(nil, nil, nil) else { return 0 }
        defer { BrotliEncoderDestroyInstance(encoder) }
        let quality = content.count <= thoroughByteCount ? BROTLI_MAX_QUALITY : 9
        BrotliEncoderSetParameter(encoder, BROTLI_PARAM_QUALITY, UInt32(quality))
        // 4 MB, so that clients need no larger window to decode.
        BrotliEncoderSetParameter(encoder, BROTLI_PARAM_LGWIN, 22)
        BrotliEncoderSetParameter(encoder, BROTLI_PARAM_SIZE_HINT, UInt32(clamping: content.count))
        var (output, room) = (result.baseAddress?.assumingMemoryBound(to: UInt8.self), result.count)
        for start in stride(from: 0, to: content.count, by: pieceByteCount) {
            try giveWay()
            let piece = content[start..<min(start + pieceByteCount, content.count)]
            let operation = piece.endIndex == content.count ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS
            var (input, count) = (
                content.baseAddress?.advanced(by: start).assumingMemoryBound(to: UInt8.self), piece.count
            )
            let isDone = BrotliEncoderCompressStream(encoder, operation, &count, &input, &room, &output, nil)
            // Input that is left over means that the output has no room.
            guard isDone == BROTLI_TRUE, count == 0 else { return 0 }
        }
        return BrotliEncoderIsFinished(encoder) == BROTLI_TRUE ? result.count - room : 0
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
