import BundleStore
import CZstd

/// Applies patches. What results isn't verified here: compare its files with what was announced.
enum PatchDecoder {
    /// A release as a patch gives it: its listing and contents.
    struct Result {
        let memory: ScratchFile
        let listingByteCount: Int

        var listing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory.bytes[..<listingByteCount]) }
        var contents: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory.bytes[listingByteCount...]) }
    }

    /// - Parameters:
    ///   - patch: The patch.
    ///   - old: The release that it is for.
    ///   - result: The digest of the new release's files, which the patch must name.
    ///   - store: Where the result is kept until it is released.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when it isn't a patch, is for another release, or
    ///   can't be decoded; `storeUnavailable` when the disk has no room.
    static func decode(
        _ patch: UnsafeRawBufferPointer,
        from old: WholeContent,
        to result: Digest,
        in store: BundleStore
    ) throws -> Result {
        guard let header = PatchHeader(startOf: patch), header.listingByteCount <= header.wholeByteCount,
            header.wholeByteCount <= PatchLimits.maximumWholeByteCount
        else { throw BundleError(.invalidFeed, "isn't a patch of this format, or is too large") }
        guard header.base == old.filesDigest, header.result == result else {
            throw BundleError(.invalidFeed, "is a patch for, or to, a release with other files")
        }
        let frame = UnsafeRawBufferPointer(rebasing: patch[PatchHeader.byteCount...])
        let byteCount = Int(header.wholeByteCount)
        guard ZSTD_getFrameContentSize(frame.baseAddress, frame.count) == header.wholeByteCount,
            ZSTD_findFrameCompressedSize(frame.baseAddress, frame.count) == frame.count
        else { throw damaged }
        let memory = try ScratchFile(byteCount: byteCount, in: store)
        // In one call, because the library then needs no window of its own.
        guard let decoder = ZSTD_createDCtx() else { throw damaged }
        defer { ZSTD_freeDCtx(decoder) }
        ZSTD_DCtx_refPrefix(decoder, old.bytes.baseAddress, old.bytes.count)
        let written = withExtendedLifetime(old) {
            ZSTD_decompressDCtx(decoder, memory.bytes.baseAddress, byteCount, frame.baseAddress, frame.count)
        }
        guard ZSTD_isError(written) == 0, written == byteCount else { throw damaged }
        return Result(memory: memory, listingByteCount: Int(header.listingByteCount))
    }

    private static var damaged: BundleError { BundleError(.invalidFeed, "is a damaged patch") }
}
