import SystemPackage

/// The common start of segments and version indexes: a magic number, a format version, the header's size and the file's
/// size.
package struct StoreFileHeader: Sendable {
    /// The size of these fields in bytes; a header may have more.
    private static let fieldsByteCount = 24

    package let magic: [UInt8]
    package let version: UInt32
    /// The size of the whole header in bytes.
    package let headerByteCount: Int

    package init(magic: [UInt8], version: UInt32, headerByteCount: Int) {
        (self.magic, self.version, self.headerByteCount) = (magic, version, headerByteCount)
    }

    /// The fields in their file format.
    package func fields(fileByteCount: UInt64) -> [UInt8] {
        var fields = magic
        fields.appendLittleEndian(version)
        fields.appendLittleEndian(UInt32(headerByteCount))
        fields.appendLittleEndian(fileByteCount)
        return fields
    }

    /// Checks a file's header. The file is read instead of mapped: a mapped file that is shorter than its header says,
    /// or on a failing disk, would end the process.
    ///
    /// - Parameter fileByteCount: The length of the file.
    /// - Throws: ``/BundleModel/BundleError`` with code `newerFormat` when a newer program has written it,
    ///   `storeDamaged` when it isn't of this kind, its length differs from its header, or it was written by a much
    ///   older program; `Errno` when it can't be read.
    package func check(_ file: FileDescriptor, of fileByteCount: Int, at path: FilePath) throws {
        let fields = try file.bytes(in: 0..<min(fileByteCount, Self.fieldsByteCount))
        try fields.withUnsafeBytes { try check($0, of: fileByteCount, at: path) }
    }

    private func check(_ fields: UnsafeRawBufferPointer, of fileByteCount: Int, at path: FilePath) throws(BundleError) {
        guard fields.count == Self.fieldsByteCount, fields.prefix(magic.count).elementsEqual(magic) else {
            throw BundleError(.storeDamaged, "\(path) is not a store file")
        }
        // First of all: the layout after a newer format's version is unknown.
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
