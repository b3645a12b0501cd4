import BundleStore
import Zstandard

/// Zstandard (RFC 8878) as a content coding: with windows of at most 8 MB (RFC 9659 §3).
enum ZstandardCoding {
    private static let level: Int32 = 19
    private static let windowLog: Int32 = 23
    /// From this length on matches are searched at any distance, not only nearby.
    private static let longByteCount = 1 << 20
    private static let pieceByteCount = 1 << 17

    /// Returns the number of bytes written, or 0 when they don't fit.
    static func encode(
        _ content: UnsafeRawBufferPointer,
        into result: UnsafeMutableRawBufferPointer,
        _ giveWay: () throws -> Void
    ) rethrows -> Int {
        guard let encoder = ZSTD_createCCtx() else { return 0 }
        defer { ZSTD_freeCCtx(encoder) }
        // Neither call can fail with a level and a window that the library supports.
        ZSTD_CCtx_setParameter(encoder, ZSTD_c_compressionLevel, level)
        ZSTD_CCtx_setParameter(encoder, ZSTD_c_windowLog, min(windowLog, windowLogNeeded(for: content.count)))
        return try compress(content, with: encoder, into: result, giveWay)
    }

    /// As above, with a dictionary whose parts can be copied to the content (“raw content”).
    static func encode(
        _ content: UnsafeRawBufferPointer,
        from dictionary: UnsafeRawBufferPointer,
        into result: UnsafeMutableRawBufferPointer,
        _ giveWay: () throws -> Void
    ) rethrows -> Int {
        guard let encoder = ZSTD_createCCtx() else { return 0 }
        defer { ZSTD_freeCCtx(encoder) }
        let largest = DictionaryZstandard.maximumWindowLog(dictionaryByteCount: dictionary.count)
        // The dictionary stays in reach until the window has moved past the content's beginning.
        let window = min(largest, windowLogNeeded(for: content.count + dictionary.count))
        ZSTD_CCtx_setParameter(encoder, ZSTD_c_compressionLevel, level)
        ZSTD_CCtx_setParameter(encoder, ZSTD_c_windowLog, window)
        if content.count > longByteCount { ZSTD_CCtx_setParameter(encoder, ZSTD_c_enableLongDistanceMatching, 1) }
        ZSTD_CCtx_refPrefix(encoder, dictionary.baseAddress, dictionary.count)
        return try compress(content, with: encoder, into: result, giveWay)
    }

    private static func compress(
        _ content: UnsafeRawBufferPointer,
        with encoder: OpaquePointer,
        into result: UnsafeMutableRawBufferPointer,
        _ giveWay: () throws -> Void
    ) rethrows -> Int {
        // The tables are as large as the content needs.
        ZSTD_CCtx_setPledgedSrcSize(encoder, UInt64(content.count))
        var input = ZSTD_inBuffer(src: content.baseAddress, size: 0, pos: 0)
        var output = ZSTD_outBuffer(dst: result.baseAddress, size: result.count, pos: 0)
        repeat {
            try giveWay()
            input.size = min(input.pos + pieceByteCount, content.count)
            let isLast = input.size == content.count
            let rest = ZSTD_compressStream2(encoder, &output, &input, isLast ? ZSTD_e_end : ZSTD_e_continue)
            guard ZSTD_isError(rest) == 0 else { return 0 }
            if isLast, rest == 0 { return output.pos }
        } while output.pos < output.size
        return 0
    }

    /// Passes the decoded bytes to `take` in pieces, until that returns false. Returns whether a frame was decoded to
    /// its end and nothing follows it.
    static func decode(_ coded: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        guard let decoder = ZSTD_createDCtx() else { return false }
        defer { ZSTD_freeDCtx(decoder) }
        ZSTD_DCtx_setParameter(decoder, ZSTD_d_windowLogMax, windowLog)
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)
        defer { piece.deallocate() }
        var input = ZSTD_inBuffer(src: coded.baseAddress, size: coded.count, pos: 0)
        while true {
            var output = ZSTD_outBuffer(dst: piece.baseAddress, size: piece.count, pos: 0)
            let before = input.pos
            let result = ZSTD_decompressStream(decoder, &output, &input)
            guard ZSTD_isError(result) == 0, take(UnsafeRawBufferPointer(rebasing: piece[..<output.pos])) else {
                return false
            }
            if result == 0, input.pos == input.size { return true }
            // No input used and no output written: the stream is truncated.
            guard output.pos > 0 || input.pos > before else { return false }
        }
    }

    /// The smallest window that holds a whole content.
    private static func windowLogNeeded(for byteCount: Int) -> Int32 {
        max(10, Int32(Int.bitWidth - max(byteCount - 1, 1).leadingZeroBitCount))
    }
}

/// The content coding `dcz` (RFC 9842 §5): a header that names the dictionary, then a Zstandard frame.
enum DictionaryZstandard {
    /// The header: a skippable Zstandard frame with 32 bytes of content.
    static func head(_ dictionary: Digest) -> [UInt8] {
        dictionary.withUnsafeBytes { [0x5E, 0x2A, 0x4D, 0x18, 0x20, 0, 0, 0] + Array($0) }
    }

    /// The largest window (log2) that a decoder must support for a dictionary of this length: 8 MB, or 1.25 times the
    /// dictionary if that is more, but never over 128 MB (§5).
    static func maximumWindowLog(dictionaryByteCount: Int) -> Int32 {
        let byteCount = min(max(8 << 20, min(dictionaryByteCount, 128 << 20) / 4 * 5), 128 << 20)
        return Int32(Int.bitWidth - 1 - byteCount.leadingZeroBitCount)
    }
}
