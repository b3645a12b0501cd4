import CZlib
import Testing

/// Content in a transfer coding, made by zlib.
enum Compressed {
    static func content(_ content: [UInt8], isGzip: Bool) throws -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        try #require(
            deflateInit2_(&stream, 6, Z_DEFLATED, isGzip ? 31 : 15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        )
        defer { deflateEnd(&stream) }
        var (content, result) = (
            content, [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(content.count))))
        )
        let status = content.withUnsafeMutableBufferPointer { input in
            result.withUnsafeMutableBufferPointer { output in
                (stream.next_in, stream.avail_in) = (input.baseAddress, uInt(input.count))
                (stream.next_out, stream.avail_out) = (output.baseAddress, uInt(output.count))
                return deflate(&stream, Z_FINISH)
            }
        }
        try #require(status == Z_STREAM_END)
        return Array(result.prefix(result.count - Int(stream.avail_out)))
    }
}
