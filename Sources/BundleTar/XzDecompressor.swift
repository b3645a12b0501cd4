import BundleArchive
import CLZMA

/// xz. liblzma compares each block with its checksum, and each stream with its index.
final class XzDecompressor: Decompressor {
    /// `LZMA_CONCATENATED` and `LZMA_TELL_UNSUPPORTED_CHECK`, which Swift can't import.
    private static let flags: UInt32 = 0x08 | 0x02
    /// The memory that liblzma needs besides the window.
    private static let overheadByteCount = 2 << 20
    /// The window of `xz -9`, which is used only as far as there is output: accepted while that is within the limit.
    private static let largestPresetWindowByteCount = 64 << 20

    // liblzma keeps the stream's address, so the stream must not move.
    private let stream = UnsafeMutablePointer<lzma_stream>.allocate(capacity: 1)
    private var hasLargeWindow = false
    private var hasEnded = false

    init() throws(ArchiveError) {
        stream.initialize(to: lzma_stream())
        let limit = UInt64(DecompressionWindow.maximumByteCount + Self.overheadByteCount)
        guard lzma_stream_decoder(stream, limit, Self.flags) == LZMA_OK else { throw .noMemory }
    }

    deinit {
        lzma_end(stream)
        stream.deallocate()
    }

    func read(from input: FileStream, into output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        var count = 0
        while count == 0, !hasEnded { count = try decode(input, into: output) }
        guard !hasLargeWindow || stream.pointee.total_out <= UInt64(DecompressionWindow.maximumByteCount) else {
            throw Self.windowTooLarge
        }
        return count
    }

    private func decode(
        _ input: FileStream,
        into output: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) -> Int {
        let action = try input.fill() ? LZMA_RUN : LZMA_FINISH
        stream.pointee.next_in = input.unused.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = input.unused.count
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = output.count
        let status = lzma_code(stream, action)
        input.use(input.unused.count - stream.pointee.avail_in)
        switch status {
        case LZMA_OK: break
        case LZMA_STREAM_END: hasEnded = true
        case LZMA_MEMLIMIT_ERROR: try enlargeWindow()
        default: throw Self.failure(status)
        }
        return output.count - stream.pointee.avail_out
    }

    /// Allows a block that needs a large window to continue.
    private func enlargeWindow() throws(ArchiveError) {
        let needed = lzma_memusage(stream)
        guard needed <= UInt64(Self.largestPresetWindowByteCount + Self.overheadByteCount),
            lzma_memlimit_set(stream, needed) == LZMA_OK
        else { throw Self.windowTooLarge }
        hasLargeWindow = true
    }

    private static func failure(_ status: lzma_ret) -> ArchiveError {
        switch status {
        case LZMA_BUF_ERROR: .endsTooEarly
        case LZMA_MEM_ERROR: .noMemory
        case LZMA_OPTIONS_ERROR, LZMA_UNSUPPORTED_CHECK:
            ArchiveError(
                .unsupportedFormat,
                "uses a feature of xz that isn't supported",
                advice: "repack it with “xz -6”"
            )
        default: .damagedCompression("its xz data is broken")
        }
    }

    private static var windowTooLarge: ArchiveError { .windowTooLarge(advice: "repack it with “xz -6”") }
}
