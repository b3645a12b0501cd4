import SystemPackage

/// What segments and version indexes start with: a magic, a format version, the header's size and the file's size.
struct StoreFileHeader: Sendable {
    /// The size of these fields in bytes; a header may have more.
    private static let fieldsByteCount = 24

    let magic: [UInt8]
    let version: UInt32
    /// The size of the whole header in bytes.
    let headerByteCount: Int

    /// The fields as they are in a file.
    func fields(fileByteCount: UInt64) -> [UInt8] {
        var fields = magic
        fields.appendLittleEndian(version)
        fields.appendLittleEndian(UInt32(headerByteCount))
        fields.appendLittleEndian(fileByteCount)
        return fields
    }

    /// Compares a file with this. It is read and not mapped: a mapped file that is shorter than it says, or on a disk that
    /// fails, would end the process.
    ///
    /// - Parameter fileByteCount: The length of the file.
    /// - Throws: ``BundleError`` with code `newerFormat` when a newer program has written it, `storeDamaged` when it isn't
    ///   of this kind, has another length than it says, or was written by a much older program; `Errno` when it can't be
    ///   read.
    func check(_ file: FileDescriptor, of fileByteCount: Int, at path: FilePath) throws {
        let fields = try file.bytes(in: 0..<min(fileByteCount, Self.fieldsByteCount))
        try fields.withUnsafeBytes { try check($0, of: fileByteCount, at: path) }
    }

    private func check(_ fields: UnsafeRawBufferPointer, of fileByteCount: Int, at path: FilePath) throws(BundleError) {
        guard fields.count == Self.fieldsByteCount, fields.prefix(magic.count).elementsEqual(magic) else {
            throw BundleError(.storeDamaged, "\(path) is not a store file")
        }
        // Before anything else: what a newer format has after its version is unknown.
        let found: UInt32 = fields.littleEndian(at: 8)
        guard found <= version else {
            throw BundleError(
                .newerFormat,
                "\(path) has format version \(found), this program reads \(version)",
                .updateProgram
            )
        }
        guard found == version else {
            throw BundleError(
                .storeDamaged,
                "\(path) has format version \(found), this program reads \(version)"
            )
        }
        let size: UInt64 = fields.littleEndian(at: 16)
        guard fields.littleEndian(at: 12, as: UInt32.self) == headerByteCount, size == fileByteCount,
            fileByteCount >= headerByteCount
        else {
            throw BundleError(
                .storeDamaged,
                "\(path) has \(fileByteCount) bytes and should have \(size)"
            )
        }
    }
}
