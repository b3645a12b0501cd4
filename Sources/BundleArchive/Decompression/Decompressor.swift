import BundleModel

/// Removes the compression around a tar archive, in constant memory, and verifies every checksum. It replaces
/// libarchive's filters, which check no gzip checksum, stop at data that they don't know, and use as much memory as an
/// archive asks for.
///
/// An archive may consist of several members (gzip), streams (xz) or frames (Zstandard), one directly after another.
/// Nothing else may follow them: some programs would see it and others not.
package protocol Decompressor: AnyObject {
    /// Decompresses the next bytes.
    ///
    /// - Returns: The number of bytes written; 0 after the file's proper end.
    func read(from input: FileStream, into output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int
}

/// How far back compressed data may refer to earlier output, all of which is held in memory.
package enum DecompressionWindow {
    /// The largest window: with it a process stays under 64 MB. `xz -6` and `zstd -19` take 8 MiB.
    package static let maximumByteCount = 16 << 20
}

/// An archive's file, or a document in memory, read once from start to end.
package final class FileStream {
    /// Fills the buffer from an offset on, and returns the number of bytes; 0 at the end.
    private typealias Reading = (Int64, UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int

    private let read: Reading
    private let buffer: UnsafeMutableRawBufferPointer
    /// The offset in the file of the bytes after the buffer.
    private var end: Int64 = 0
    /// The bytes that have been read but not used, valid until the next call.
    package private(set) var unused = UnsafeRawBufferPointer(start: nil, count: 0)

    package convenience init(_ file: ArchiveFile) {
        self.init { offset, buffer throws(ArchiveError) in try file.read(at: offset, into: buffer) }
    }

    convenience init(_ document: [UInt8]) {
        self.init { offset, buffer throws(ArchiveError) in
            let piece = document.dropFirst(Int(offset)).prefix(buffer.count)
            buffer.copyBytes(from: piece)
            return piece.count
        }
    }

    private init(_ read: @escaping Reading) {
        self.read = read
        buffer = .allocate(byteCount: ArchiveReader.blockByteCount, alignment: 16)
    }

    deinit {
        buffer.deallocate()
    }

    /// The number of bytes that have been used.
    package var usedByteCount: Int64 { end - Int64(unused.count) }

    /// Reads more after everything has been used.
    ///
    /// - Returns: False when the file has ended.
    package func fill() throws(ArchiveError) -> Bool {
        guard unused.isEmpty else { return true }
        let count = try read(end, buffer)
        end += Int64(count)
        unused = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        return count > 0
    }

    /// Marks the first `count` of the unused bytes as used.
    package func use(_ count: Int) {
        unused = UnsafeRawBufferPointer(rebasing: unused.dropFirst(count))
    }

    /// Reads the file to its end.
    ///
    /// - Returns: Whether all remaining bytes were zeros.
    package func endsInZeros() throws(ArchiveError) -> Bool {
        while try fill() {
            guard unused.allSatisfy({ $0 == 0 }) else { return false }
            use(unused.count)
        }
        return true
    }
}

/// A short document in a content coding (RFC 9110 §8.4.1).
package enum CodedDocument {
    private static let pieceByteCount = 1 << 16

    /// Decodes a document, in as much memory as it takes and up to 16 MiB.
    ///
    /// - Parameters:
    ///   - bytes: The coded bytes, and nothing after them.
    ///   - coding: gzip or Zstandard.
    ///   - maximumByteCount: The longest document in bytes.
    /// - Returns: Nil when the document is longer, and for another coding.
    /// - Throws: ``ArchiveError`` when the bytes can't be decoded.
    package static func decode(
        _ bytes: [UInt8],
        from coding: ContentCoding,
        maximumByteCount: Int
    ) throws(ArchiveError) -> [UInt8]? {
        guard let decompressor = try decompressor(coding) else { return nil }
        let (input, piece) = (
            FileStream(bytes), UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)
        )
        defer { piece.deallocate() }
        var document: [UInt8] = []
        while case let count = try decompressor.read(from: input, into: piece), count > 0 {
            guard document.count + count <= maximumByteCount else { return nil }
            document += piece[..<count]
        }
        return document
    }

    private static func decompressor(_ coding: ContentCoding) throws(ArchiveError) -> (any Decompressor)? {
        switch coding {
        case .gzip: try GzipDecompressor()
        case .zstandard: try ZstandardDecompressor()
        case .identity, .brotli, .dictionaryZstandard: nil
        }
    }
}
