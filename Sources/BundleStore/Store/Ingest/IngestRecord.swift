/// One entry of a release that is being ingested, as a range of bytes whose owner says how long it is valid.
///
///     0   2   length of the key
///     2   2   kind
///     4   4   number of the segment
///     8   8   offset of the content
///     16  8   length of the content
///     24  32  SHA-256 of the content
///     56      key: the path, with a slash at the end for a folder
///
/// The slash sorts a folder directly before its contents when records are ordered by the bytes of their keys.
struct IngestRecord {
    enum Kind: UInt16 {
        case file
        case folder
        /// A link in place of a file. The files that it stands for have records of their own.
        case link
    }

    static let fixedByteCount = 56
    /// The largest record: a folder's slash comes on top of the longest path.
    static let maximumByteCount = fixedByteCount + BundlePath.maximumByteCount + 1

    let bytes: UnsafeRawBufferPointer

    /// The record at the start of `bytes`, or nil when they end before it does.
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
        // In host byte order: no other machine reads it.
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

/// The content of a file that is being ingested.
package struct IngestContent {
    package let digest: Digest
    /// The number of the segment within the ingest.
    let segment: UInt32
    let offset: UInt64
    /// Its length in bytes.
    package let byteCount: UInt64

    /// For entries without content.
    static let none = IngestContent(digest: .ofNothing, segment: 0, offset: 0, byteCount: 0)
}

extension Digest {
    /// The digest of no bytes.
    static let ofNothing = Digest(of: [])
}
