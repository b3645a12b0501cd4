/// One entry of a release that is being taken in, as a stretch of bytes that is valid for as long as its owner says.
///
///     0   2   length of the key
///     2   2   kind
///     4   4   number of the segment
///     8   8   offset of the content
///     16  8   length of the content
///     24  32  SHA-256 of the content
///     56      key: the path, with a slash at the end for a folder
///
/// The slash puts a folder right in front of what is in it when records are ordered by the bytes of their keys.
struct IngestRecord {
    enum Kind: UInt16 {
        case file
        case folder
        /// A link, which takes the place of a file. What it leads to has records of its own.
        case link
    }

    static let fixedByteCount = 56
    /// The largest record: a folder's slash comes on top of the longest path.
    static let maximumByteCount = fixedByteCount + BundlePath.maximumByteCount + 1

    let bytes: UnsafeRawBufferPointer

    /// The record that `bytes` starts with, or nil when they end before it does.
    init?(startOf bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.fixedByteCount else { return nil }
        let byteCount = Self.fixedByteCount + Int(bytes.loadUnaligned(as: UInt16.self))
        guard bytes.count >= byteCount else { return nil }
        self.bytes = UnsafeRawBufferPointer(rebasing: bytes[..<byteCount])
    }

    var kind: Kind { Kind(rawValue: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) ?? .file }
    var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[Self.fixedByteCount...]) }
    var content: IngestContent {
        IngestContent(
            digest: Digest(bytes: UnsafeRawBufferPointer(rebasing: bytes[24..<56])) ?? .ofNothing,
            segment: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
            offset: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            byteCount: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        )
    }

    /// Appends a record to `array`.
    static func append(_ kind: Kind, _ key: UnsafeRawBufferPointer, _ content: IngestContent, to array: inout [UInt8]) {
        // In the machine's own byte order: no other machine reads it.
        withUnsafeTemporaryAllocation(byteCount: fixedByteCount, alignment: 8) { fixed in
            fixed.storeBytes(of: UInt16(truncatingIfNeeded: key.count), toByteOffset: 0, as: UInt16.self)
            fixed.storeBytes(of: kind.rawValue, toByteOffset: 2, as: UInt16.self)
            fixed.storeBytes(of: content.segment, toByteOffset: 4, as: UInt32.self)
            fixed.storeBytes(of: content.offset, toByteOffset: 8, as: UInt64.self)
            fixed.storeBytes(of: content.byteCount, toByteOffset: 16, as: UInt64.self)
            content.digest.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: fixed[24..<56]).copyMemory(from: $0)
            }
            array.append(contentsOf: UnsafeRawBufferPointer(fixed))
        }
        array.append(contentsOf: key)
    }
}
