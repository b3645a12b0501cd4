import BundleInstall
import BundleStore
import Zstandard

/// Makes patches: long runs that the new release has in common with the old one are copied (``CopyFinder``), and what is left
/// of the new one is compressed with what is left of the old one as a prefix (“raw content dictionary”, RFC 8878 §5).
/// Renamed and moved files, which bundlers make in every build, cost next to nothing.
///
/// Equal releases give equal bytes, as long as the library is the same. Takes some 400 MB of memory at most, besides
/// the contents, which are mapped: 320 MB for the library's tables where 32 MB or more are left, and as much as is left of
/// the new release.
package enum PatchEncoder {
    private static let level: Int32 = 22
    /// The tables cover 32 MB of prefix and content together; beyond that, long matches are found by their own table.
    private static let maximumChainLog: Int32 = 26
    private static let pieceByteCount = 1 << 18

    /// - Parameters:
    ///   - old: The release that clients have.
    ///   - new: The release that they get.
    ///   - byteCount: The maximum length of the patch.
    ///   - progress: Called now and then with the bytes of the new release that are done.
    /// - Returns: The patch; nil when it would be longer, or memory runs out.
    /// - Throws: `CancellationError` when the task is cancelled; ``/BundleModel/BundleError`` with code `storeUnavailable`
    ///   when the disk has no room.
    package static func encode(
        from old: WholeContent,
        to new: WholeContent,
        within byteCount: Int,
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> [UInt8]? {
        let instructions = try CopyFinder.instructions(from: old.bytes, to: new.bytes)
        let prefix = try old.gather(instructions.rest(ofByteCount: old.bytes.count))
        let added = try new.gather(instructions.added(ofByteCount: new.bytes.count))
        guard let encoder = ZSTD_createCCtx(), let frame = ZstandardFrame.encode(instructions.encoded) else {
            return nil
        }
        defer { ZSTD_freeCCtx(encoder) }
        configure(encoder, for: prefix.bytes.count + added.bytes.count)
        ZSTD_CCtx_setPledgedSrcSize(encoder, UInt64(added.bytes.count))
        ZSTD_CCtx_refPrefix(encoder, prefix.bytes.baseAddress, prefix.bytes.count)
        let header = PatchHeader(
            base: old.filesDigest,
            result: new.filesDigest,
            listingByteCount: UInt64(new.listingByteCount),
            wholeByteCount: UInt64(new.bytes.count)
        )
        return try withExtendedLifetime((prefix, added)) {
            try compress(
                UnsafeRawBufferPointer(added.bytes),
                with: encoder,
                after: header.encoded + frame,
                within: byteCount
            ) {
                progress(ByteProgress(done: Int64(instructions.copiedByteCount + $0), total: Int64(new.bytes.count)))
            }
        }
    }

    /// Neither call can fail with values that the library supports.
    private static func configure(_ encoder: OpaquePointer, for byteCount: Int) {
        // The smallest window in which the prefix stays in reach up to the end.
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
        after start: [UInt8],
        within byteCount: Int,
        _ progress: (Int) -> Void
    ) throws -> [UInt8]? {
        var result = start
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
            progress(input.pos)
            if isLast, rest == 0 { return result }
        }
    }
}
