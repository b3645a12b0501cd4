import BundleModel

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
