import BundleModel

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
    /// - Throws: What `fill` throws; ``ArchiveError`` with code `unreadable` when the file is shorter than said.
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
