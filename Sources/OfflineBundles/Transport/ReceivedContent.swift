import Foundation

/// Bytes that have arrived and aren't read yet: in memory while they are few, the rest in a temporary file.
struct ReceivedContent {
    /// How much is held in memory.
    static let memoryByteCount = 1 << 20
    /// How much is read from the file at a time.
    private static let pieceByteCount = 256 << 10

    private var parts: [[UInt8]] = []
    private var first = 0
    private(set) var heldByteCount = 0
    private var file: TemporaryFile?
    private var (readOffset, endOffset): (UInt64, UInt64) = (0, 0)

    /// Whether there is nothing to read.
    var isEmpty: Bool { byteCount == 0 }

    /// Whether no more should arrive until some of it has been read.
    var isFull: Bool { heldByteCount >= Self.memoryByteCount }

    var byteCount: Int64 { Int64(heldByteCount) + Int64(endOffset - readOffset) }

    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    mutating func append(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        // What is in the file comes first.
        guard isFull || readOffset < endOffset else {
            parts.append(bytes)
            heldByteCount += bytes.count
            return
        }
        let file = try file ?? TemporaryFile()
        self.file = file
        try file.append(bytes)
        endOffset += UInt64(bytes.count)
    }

    /// The next bytes; nil when there are none.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    mutating func take() throws -> [UInt8]? {
        if first < parts.count {
            let part = parts[first]
            parts[first] = []
            first += 1
            heldByteCount -= part.count
            if first == parts.count { (parts, first) = ([], 0) }
            return part
        }
        guard let file, readOffset < endOffset else { return nil }
        let piece = try file.read(at: readOffset, count: Int(min(UInt64(Self.pieceByteCount), endOffset - readOffset)))
        readOffset += UInt64(piece.count)
        if readOffset == endOffset || piece.isEmpty {
            try file.empty()
            (readOffset, endOffset) = (0, 0)
        }
        return [UInt8](piece)
    }
}
