import BundleStore

/// The start of a patch: which files it turns into which. It is a skippable frame (RFC 8878 §3.1.2), so that the whole
/// file is a sequence of Zstandard frames.
///
///     0   4   184D2A5B (hexadecimal): a skippable frame
///     4   4   length of the rest of the header: 88
///     8   8   “OBPATCH1”
///     16  32  digest of the old release's files
///     48  32  digest of the new release's files
///     80  8   length of the new release's listing in bytes
///     88  8   length of the listing and the contents in bytes
///
/// Numbers are little-endian. Two Zstandard frames follow: the instructions (``PatchInstructions``), and the bytes that they
/// add, compressed with what no copy takes of the old release's listing and contents as a prefix.
package struct PatchHeader: Equatable, Sendable {
    package static let byteCount = 96
    private static let frame: UInt32 = 0x184D_2A5B
    private static let mark = Array("OBPATCH1".utf8)

    /// ``/BundleStore/Release/filesDigest()`` of the old release.
    package let base: Digest
    /// The same of the new release.
    package let result: Digest
    package let listingByteCount: UInt64
    package let wholeByteCount: UInt64

    package init(base: Digest, result: Digest, listingByteCount: UInt64, wholeByteCount: UInt64) {
        self.base = base
        self.result = result
        self.listingByteCount = listingByteCount
        self.wholeByteCount = wholeByteCount
    }

    /// Returns nil when `bytes` don't start with a header.
    package init?(startOf bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount, bytes.littleEndian(at: 0, as: UInt32.self) == Self.frame,
            bytes.littleEndian(at: 4, as: UInt32.self) == UInt32(Self.byteCount - 8),
            bytes[8..<16].elementsEqual(Self.mark),
            let base = Digest(bytes: UnsafeRawBufferPointer(rebasing: bytes[16..<48])),
            let result = Digest(bytes: UnsafeRawBufferPointer(rebasing: bytes[48..<80]))
        else { return nil }
        self.init(
            base: base,
            result: result,
            listingByteCount: bytes.littleEndian(at: 80, as: UInt64.self),
            wholeByteCount: bytes.littleEndian(at: 88, as: UInt64.self)
        )
    }

    /// The header's bytes.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        withUnsafeBytes(of: Self.frame.littleEndian) { bytes += $0 }
        withUnsafeBytes(of: UInt32(Self.byteCount - 8).littleEndian) { bytes += $0 }
        bytes += Self.mark
        for digest in [base, result] { digest.withUnsafeBytes { bytes += $0 } }
        for number in [listingByteCount, wholeByteCount] {
            withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        }
        return bytes
    }
}
