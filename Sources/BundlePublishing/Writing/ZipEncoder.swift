import BundleArchive
import BundleStore
import CDeflate
import CZlib

/// Compresses the pieces of files for a zip.
///
/// Not `Sendable`: use an instance from one thread at a time. It takes about 1 MB, allocated on first use.
package final class ZipEncoder {
    /// A piece that has been compressed.
    package struct Output {
        let bytes: [UInt8]
        let isDeflated: Bool
        /// The checksum of the piece alone.
        let checksum: UInt32
        let byteCount: Int
        let isFirst: Bool
        let isLast: Bool
    }

    /// libdeflate's 7 makes smaller files than zlib's 9, in less time than zlib's 6.
    private static let level: Int32 = 7

    private var compressor: OpaquePointer?
    private var stream: UnsafeMutablePointer<z_stream>?

    /// Creates an encoder.
    package init() {}

    deinit {
        libdeflate_free_compressor(compressor)
        if let stream { deflateEnd(stream) }
        stream?.deallocate()
    }

    /// Compresses a piece. The result depends on nothing but the piece and the versions of libdeflate and zlib.
    ///
    /// - Throws: ``/BundleArchive/ArchiveError`` with code `unwritable` when there is no memory.
    package func encode(_ piece: ZipPiece) throws(ArchiveError) -> Output {
        var checksum = CRC32()
        piece.bytes.withUnsafeBytes { checksum.update(UnsafeRawBufferPointer(rebasing: $0[piece.windowByteCount...])) }
        let encoded = piece.isWhole ? try whole(piece.bytes) : try part(piece)
        return Output(
            bytes: encoded ?? piece.bytes,
            isDeflated: encoded != nil,
            checksum: checksum.value,
            byteCount: piece.byteCount,
            isFirst: piece.isFirst,
            isLast: piece.isLast
        )
    }

    /// Nil for what doesn't become smaller.
    private func whole(_ bytes: [UInt8]) throws(ArchiveError) -> [UInt8]? {
        guard bytes.count > 1 else { return nil }
        if compressor == nil { compressor = libdeflate_alloc_compressor(Self.level) }
        guard let compressor else { throw Self.noMemory }
        let encoded = [UInt8](unsafeUninitializedCapacity: bytes.count - 1) { buffer, count in
            count = bytes.withUnsafeBytes {
                libdeflate_deflate_compress(compressor, $0.baseAddress, $0.count, buffer.baseAddress, buffer.count)
            }
        }
        return encoded.isEmpty ? nil : encoded
    }

    /// A part ends at a byte's boundary, so that the next one can follow it (zlib's manual, `Z_SYNC_FLUSH`).
    private func part(_ piece: ZipPiece) throws(ArchiveError) -> [UInt8] {
        let stream = try preparedStream()
        let capacity = Int(deflateBound(stream, uLong(piece.byteCount))) + 64
        var hasFailed = false
        let encoded = piece.bytes.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: Bytef.self)
            if piece.windowByteCount > 0 { deflateSetDictionary(stream, start, uInt(piece.windowByteCount)) }
            return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                // zlib doesn't write to its input.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: start?.advanced(by: piece.windowByteCount))
                stream.pointee.avail_in = uInt(piece.byteCount)
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = uInt(capacity)
                let status = deflate(stream, piece.isLast ? Z_FINISH : Z_SYNC_FLUSH)
                hasFailed = status != (piece.isLast ? Z_STREAM_END : Z_OK) || stream.pointee.avail_in > 0
                count = capacity - Int(stream.pointee.avail_out)
            }
        }
        guard !hasFailed else { throw Self.noMemory }
        return encoded
    }

    private func preparedStream() throws(ArchiveError) -> UnsafeMutablePointer<z_stream> {
        if let stream {
            deflateReset(stream)
            return stream
        }
        // zlib keeps the stream's address, so the stream must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let (version, size) = (ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        // Negative for data without a header; 8 is zlib's usual memory level.
        guard deflateInit2_(stream, Self.level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, version, size) == Z_OK else {
            stream.deallocate()
            throw Self.noMemory
        }
        self.stream = stream
        return stream
    }

    private static var noMemory: ArchiveError {
        ArchiveError(.unwritable, "can't be written: out of memory", advice: "free some memory and try again")
    }
}

/// A file of a zip that is to be written, or a part of a large one; it can be compressed on any thread.
///
/// How a file is divided depends on its length alone, so that the archive's bytes don't depend on who compresses what.
package struct ZipPiece: Sendable {
    /// Files up to this length are compressed as a whole, by the faster encoder.
    package static let maximumWholeByteCount = 4 << 20
    /// The length of the parts of larger files.
    package static let partByteCount = 512 << 10
    /// How far deflate refers back (RFC 1951, section 2).
    static let windowByteCount = 32 << 10

    /// The end of the part before, and this one.
    let bytes: [UInt8]
    let windowByteCount: Int
    let isFirst: Bool
    let isLast: Bool

    /// Whether this is a whole file.
    var isWhole: Bool { isFirst && isLast }
    /// The number of the file's bytes in this piece.
    package var byteCount: Int { bytes.count - windowByteCount }
}

/// Reads a file in pieces.
///
/// Not `Sendable`: use an instance from one thread at a time.
package struct ZipPieces {
    private static let chunkByteCount = 64 << 10

    private let byteCount: Int64
    private var done: Int64 = 0
    private var window: [UInt8] = []
    private var hasEnded = false

    /// - Parameter byteCount: The file's length in bytes.
    package init(byteCount: Int64) {
        self.byteCount = byteCount
    }

    /// Reads the next piece.
    ///
    /// - Parameter fill: Fills the start of the buffer, of at most 64 KiB, and returns the number of bytes; 0 at the file's
    ///   end.
    /// - Returns: The piece, or nil after the last one. An empty file has one.
    /// - Throws: What `fill` throws; ``/BundleArchive/ArchiveError`` with code `unreadable` when the file is shorter than said.
    package mutating func next(_ fill: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> ZipPiece? {
        guard !hasEnded else { return nil }
        let isFirst = done == 0
        let isWhole = byteCount <= Int64(ZipPiece.maximumWholeByteCount)
        let count = Int(min(byteCount - done, Int64(isWhole ? ZipPiece.maximumWholeByteCount : ZipPiece.partByteCount)))
        let bytes = try [UInt8](unsafeUninitializedCapacity: window.count + count) { buffer, initializedCount in
            let memory = UnsafeMutableRawBufferPointer(buffer)
            memory.copyBytes(from: window)
            var end = window.count
            while end < window.count + count {
                let limit = min(window.count + count, end + Self.chunkByteCount)
                let read = try fill(UnsafeMutableRawBufferPointer(rebasing: memory[end..<limit]))
                guard read > 0 else { throw ArchiveWriter.shrunken }
                end += read
            }
            initializedCount = end
        }
        done += Int64(count)
        hasEnded = done == byteCount
        let piece = ZipPiece(bytes: bytes, windowByteCount: window.count, isFirst: isFirst, isLast: hasEnded)
        window = hasEnded ? [] : Array(bytes.suffix(ZipPiece.windowByteCount))
        return piece
    }
}
