import CDeflate
import CZlib

/// gzip (RFC 1952): written by libdeflate, which compresses better than zlib, and read by zlib, which can decode in
/// pieces.
enum DeflateCoding {
    private static let level: Int32 = 12
    private static let pieceByteCount = 1 << 16
    /// The largest window, and only with gzip's header and trailer.
    private static let windowBits: Int32 = 15 + 16

    /// Returns the number of bytes written, or 0 when they don't fit.
    static func encode(
        _ content: UnsafeRawBufferPointer,
        into result: UnsafeMutableRawBufferPointer,
        _ giveWay: () throws -> Void
    ) rethrows -> Int {
        try giveWay()
        guard let encoder = libdeflate_alloc_compressor(level) else { return 0 }
        defer { libdeflate_free_compressor(encoder) }
        return libdeflate_gzip_compress(encoder, content.baseAddress, content.count, result.baseAddress, result.count)
    }

    /// Passes the decoded bytes to `take` in pieces, until that returns false. Returns whether the only member was
    /// decoded to its end and nothing follows it.
    static func decode(_ coded: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard let count = UInt32(exactly: coded.count),
            inflateInit2_(&stream, windowBits, ZLIB_VERSION, size) == Z_OK
        else { return false }
        defer { inflateEnd(&stream) }
        // zlib doesn't write through it.
        stream.next_in = UnsafeMutablePointer(mutating: coded.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.avail_in = count
        let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: pieceByteCount)
        defer { piece.deallocate() }
        while true {
            stream.next_out = piece.baseAddress
            stream.avail_out = UInt32(piece.count)
            let result = inflate(&stream, Z_NO_FLUSH)
            let written = UnsafeRawBufferPointer(piece).prefix(piece.count - Int(stream.avail_out))
            guard [Z_OK, Z_STREAM_END].contains(result), take(UnsafeRawBufferPointer(rebasing: written)) else {
                return false
            }
            if result == Z_STREAM_END { return stream.avail_in == 0 }
        }
    }
}
