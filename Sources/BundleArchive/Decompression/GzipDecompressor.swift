import CZlib

/// gzip (RFC 1952). zlib compares each member's CRC-32 and size with its trailer.
package final class GzipDecompressor: Decompressor {
    /// 15 for deflate's window of 32 KiB, plus 16 for gzip's header and trailer.
    private static let windowBits: Int32 = 15 + 16
    private static let identification: UInt8 = 0x1F

    // zlib keeps the stream's address, so the stream must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var isBetweenMembers = false

    package init() throws(ArchiveError) {
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, size) == Z_OK else { throw .noMemory }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    package func read(from input: FileStream, into output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        var count = 0
        while count == 0 {
            guard try input.fill() else {
                guard isBetweenMembers else { throw .endsTooEarly }
                return 0
            }
            if isBetweenMembers { try beginMember(input) }
            count = try inflate(input, into: output)
        }
        return count
    }

    private func beginMember(_ input: FileStream) throws(ArchiveError) {
        guard input.unused.first == Self.identification else {
            throw .followed(byZeros: try input.endsInZeros())
        }
        inflateReset(stream)
        isBetweenMembers = false
    }

    private func inflate(
        _ input: FileStream,
        into output: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) -> Int {
        // zlib doesn't write to its input.
        stream.pointee.next_in = UnsafeMutableRawPointer(mutating: input.unused.baseAddress)?
            .assumingMemoryBound(to: Bytef.self)
        stream.pointee.avail_in = uInt(input.unused.count)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
        stream.pointee.avail_out = uInt(output.count)
        let status = CZlib.inflate(stream, Z_NO_FLUSH)
        input.use(input.unused.count - Int(stream.pointee.avail_in))
        switch status {
        case Z_OK: break
        case Z_STREAM_END: isBetweenMembers = true
        case Z_MEM_ERROR: throw .noMemory
        default: throw .damagedCompression(detail)
        }
        return output.count - Int(stream.pointee.avail_out)
    }

    /// zlib's message about the last call.
    private var detail: String {
        let text = stream.pointee.msg.map { String(cString: $0) } ?? ""
        return switch text {
        case "incorrect data check": "its gzip checksum doesn't match"
        case "incorrect length check": "its gzip size doesn't match"
        default: "gzip: \(text)"
        }
    }
}
