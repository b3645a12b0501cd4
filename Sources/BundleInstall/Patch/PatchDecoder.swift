import BundleStore
import Zstandard

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
        let frames = UnsafeRawBufferPointer(rebasing: patch[PatchHeader.byteCount...])
        let (instructions, rest) = try instructions(frames, from: old, to: Int(header.wholeByteCount))
        let added = try added(rest, by: instructions, from: old, to: Int(header.wholeByteCount), in: store)
        let memory = try ScratchFile(byteCount: Int(header.wholeByteCount), in: store)
        withExtendedLifetime((old, added)) {
            carryOut(instructions, from: old.bytes, adding: UnsafeRawBufferPointer(added.bytes), in: memory.bytes)
        }
        return Result(memory: memory, listingByteCount: Int(header.listingByteCount))
    }

    /// Decodes the first frame.
    ///
    /// - Returns: Its instructions, and what follows it.
    private static func instructions(
        _ frames: UnsafeRawBufferPointer,
        from old: WholeContent,
        to byteCount: Int
    ) throws(BundleError) -> (PatchInstructions, UnsafeRawBufferPointer) {
        let frameByteCount = ZSTD_findFrameCompressedSize(frames.baseAddress, frames.count)
        guard ZSTD_isError(frameByteCount) == 0,
            let bytes = ZstandardFrame.decode(
                Array(frames[..<frameByteCount]),
                maximumByteCount: PatchLimits.maximumInstructionByteCount
            ),
            let instructions = PatchInstructions(
                parsing: bytes,
                oldByteCount: old.bytes.count,
                newByteCount: byteCount
            )
        else { throw damaged }
        return (instructions, UnsafeRawBufferPointer(rebasing: frames[frameByteCount...]))
    }

    /// Decodes the second frame: what the new release has beside the copies.
    private static func added(
        _ frame: UnsafeRawBufferPointer,
        by instructions: PatchInstructions,
        from old: WholeContent,
        to byteCount: Int,
        in store: BundleStore
    ) throws -> ScratchFile {
        let addedByteCount = byteCount - instructions.copiedByteCount
        guard ZSTD_getFrameContentSize(frame.baseAddress, frame.count) == UInt64(addedByteCount),
            ZSTD_findFrameCompressedSize(frame.baseAddress, frame.count) == frame.count
        else { throw damaged }
        let prefix = try old.gather(instructions.rest(ofByteCount: old.bytes.count))
        let added = try ScratchFile(byteCount: addedByteCount, in: store)
        // In one call, because the library then needs no window of its own.
        guard let decoder = ZSTD_createDCtx() else { throw damaged }
        defer { ZSTD_freeDCtx(decoder) }
        ZSTD_DCtx_refPrefix(decoder, prefix.bytes.baseAddress, prefix.bytes.count)
        let written = withExtendedLifetime(prefix) {
            ZSTD_decompressDCtx(decoder, added.bytes.baseAddress, addedByteCount, frame.baseAddress, frame.count)
        }
        guard ZSTD_isError(written) == 0, written == addedByteCount else { throw damaged }
        return added
    }

    /// The instructions fit the lengths: both were compared before.
    private static func carryOut(
        _ instructions: PatchInstructions,
        from old: UnsafeRawBufferPointer,
        adding added: UnsafeRawBufferPointer,
        in result: UnsafeMutableRawBufferPointer
    ) {
        var (end, addedEnd) = (0, 0)
        func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
            UnsafeMutableRawBufferPointer(rebasing: result[end...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes))
            end += bytes.count
        }
        for copy in instructions.copies {
            append(added[addedEnd..<addedEnd + copy.addedByteCount])
            addedEnd += copy.addedByteCount
            append(old[copy.range])
        }
        append(added[addedEnd...])
    }

    private static var damaged: BundleError { BundleError(.invalidFeed, "is a damaged patch") }
}
