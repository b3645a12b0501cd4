import BundleStore

/// The layout of a variant's file: a header, then the coded bytes. StoreFormat.md specifies the bytes.
enum VariantFormat {
    static let headerByteCount = 128
    static let fileHeader = StoreFileHeader(
        magic: Array("OBVARNT\n".utf8),
        version: 1,
        headerByteCount: headerByteCount
    )

    /// The header of a file with these coded bytes. An empty body means that the coding makes the content no smaller.
    static func header(_ key: VariantKey, _ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var header = fileHeader.fields(fileByteCount: UInt64(headerByteCount + bytes.count))
        header.appendLittleEndian(UInt32(key.coding.rawValue))
        header.appendLittleEndian(UInt32(0))
        key.content.withUnsafeBytes { header.append(contentsOf: $0) }
        if let dictionary = key.dictionary {
            dictionary.withUnsafeBytes { header.append(contentsOf: $0) }
        } else {
            header += repeatElement(0, count: Digest.byteCount)
        }
        Digest(of: bytes).withUnsafeBytes { header.append(contentsOf: $0) }
        return header
    }

    /// Whether a complete file matches its name and has the bytes that were written.
    static func isIntact(_ file: UnsafeRawBufferPointer, _ key: VariantKey) -> Bool {
        guard file.count >= headerByteCount else { return false }
        let bytes = UnsafeRawBufferPointer(rebasing: file[headerByteCount...])
        return file.prefix(headerByteCount).elementsEqual(header(key, bytes))
    }
}
