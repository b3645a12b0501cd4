import SystemPackage

/// What segments and version indexes start with: a magic, a format version, the header's size and the file's size.
struct StoreFileHeader {
    static let byteCount = 24

    private let bytes: UnsafeRawBufferPointer
    private let magic: [UInt8]

    init(_ bytes: UnsafeRawBufferPointer, magic: [UInt8]) {
        self.bytes = bytes
        self.magic = magic
    }

    /// - Throws: ``BundleError`` with code `storeDamaged` when the file isn't one of this kind, has another length than
    ///   it says, or was written by a newer program or a much older one.
    func check(version: UInt32, headerByteCount: Int, path: FilePath) throws(BundleError) {
        guard bytes.count >= headerByteCount, bytes.prefix(magic.count).elementsEqual(magic) else {
            throw BundleError(.storeDamaged, "\(path) is not a store file; reinstall the bundle")
        }
        let found: UInt32 = bytes.littleEndian(at: 8)
        guard found == version else {
            let advice = found > version ? "update the program" : "reinstall the bundle"
            throw BundleError(
                .storeDamaged,
                "\(path) has format version \(found), this program reads \(version); \(advice)"
            )
        }
        let size: UInt64 = bytes.littleEndian(at: 16)
        guard bytes.littleEndian(at: 12, as: UInt32.self) == headerByteCount, size == bytes.count else {
            throw BundleError(
                .storeDamaged,
                "\(path) has \(bytes.count) bytes and should have \(size); reinstall the bundle"
            )
        }
    }
}
