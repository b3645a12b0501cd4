import BundleStore
import CZstd

/// Makes patches: the whole content of a release, compressed with that of an earlier one as a prefix (“raw content
/// dictionary”, RFC 8878 §5). Renamed and moved files, which bundlers make in every build, cost next to nothing.
///
/// Equal releases give equal bytes, as long as the library is the same. Takes some 400 MB of memory at most, besides
/// the contents, which are mapped: 320 MB for the library's tables, and as much as the new release has.
package enum PatchEncoder {
    private static let level: Int32 = 22
    /// The tables cover 32 MB of old and new content together; beyond that, long matches are found by their own table.
    private static let maximumChainLog: Int32 = 26
    private static let pieceByteCount = 1 << 18

    /// - Parameters:
    ///   - old: The release that clients have.
    ///   - new: The release that they get.
    ///   - byteCount: The maximum length of the patch.
    ///   - progress: Called now and then with the bytes of the new release that are done.
    /// - Returns: The patch; nil when it would be longer, or memory runs out.
    /// - Throws: `CancellationError` when the task is cancelled.
    package static func encode(
        from old: WholeContent,
        to new: WholeContent,
        within byteCount: Int,
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> [UInt8]? {
        guard let encoder = ZSTD_createCCtx() else { return nil }
        defer { ZSTD_freeCCtx(encoder) }
        configure(encoder, for: old.bytes.count + new.bytes.count)
        ZSTD_CCtx_setPledgedSrcSize(encoder, UInt64(new.bytes.count))
        ZSTD_CCtx_refPrefix(encoder, old.bytes.baseAddress, old.bytes.count)
        let header = PatchHeader(
            base: old.filesDigest,
            result: new.filesDigest,
            listingByteCount: UInt64(new.listingByteCount),
            wholeByteCount: UInt64(new.bytes.count)
        )
        return try withExtendedLifetime((old, new)) {
            try compress(new.bytes, with: encoder, after: header.encoded, within: byteCount, progress)
        }
    }

    /// Neither call can fail with values that the library supports.
    private static func configure(_ encoder: OpaquePointer, for byteCount: Int) {
        // The smallest window in which the old content stays in reach up to the end of the new one.
        let windowLog = max(10, Int32(Int.bitWidth - max(byteCount - 1, 1).leadingZeroBitCount))
        // The search tree takes two entries for each position.
        let chainLog = min(windowLog + 1, maximumChainLog)
        ZSTD_CCtx_setParameter(encoder, ZSTD_c_compressionLevel, level)
        ZSTD_CCtx_setParameter(encoder, ZSTD_c_windowLog, windowLog)
        ZSTD_CCtx_setParameter(encoder, ZSTD_c_chainLog, chainLog)
        ZSTD_CCtx_setParameter(encoder, ZSTD_c_hashLog, max(chainLog - 2, 10))
        ZSTD_CCtx_setParameter(encoder, ZSTD_c_enableLongDistanceMatching, 1)
        ZSTD_CCtx_setParameter(encoder, ZSTD_c_checksumFlag, 0)
    }

    private static func compress(
        _ content: UnsafeRawBufferPointer,
        with encoder: OpaquePointer,
        after header: [UInt8],
        within byteCount: Int,
        _ progress: (ByteProgress) -> Void
    ) throws -> [UInt8]? {
        var result = header
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)
        defer { piece.deallocate() }
        var input = ZSTD_inBuffer(src: content.baseAddress, size: 0, pos: 0)
        while true {
            try Task.checkCancellation()
            input.size = min(input.pos + pieceByteCount, content.count)
            let isLast = input.size == content.count
            var output = ZSTD_outBuffer(dst: piece.baseAddress, size: piece.count, pos: 0)
            let rest = ZSTD_compressStream2(encoder, &output, &input, isLast ? ZSTD_e_end : ZSTD_e_continue)
            guard ZSTD_isError(rest) == 0, result.count + output.pos <= byteCount else { return nil }
            result += piece[..<output.pos]
            progress(ByteProgress(done: Int64(input.pos), total: Int64(content.count)))
            if isLast, rest == 0 { return result }
        }
    }
}
