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

/// How a patch makes the new release: it adds some of its own bytes, then copies a range of the old release, and so on
/// (ADD and COPY of RFC 3284). After the last copy it adds what is left of its own bytes.
package struct PatchInstructions: Equatable {
    package struct Copy: Equatable {
        /// How many bytes are added before.
        package let addedByteCount: Int
        /// What is copied of the old release.
        package let range: Range<Int>

        package init(addedByteCount: Int, range: Range<Int>) {
            (self.addedByteCount, self.range) = (addedByteCount, range)
        }
    }

    private(set) var copies: [Copy] = []
    /// The number of bytes that are copied, all copies together.
    package private(set) var copiedByteCount = 0

    package init() {}

    package mutating func append(_ copy: Copy) {
        copies.append(copy)
        copiedByteCount += copy.range.count
    }

    /// What no copy takes of the old release, in its order.
    package func rest(ofByteCount oldByteCount: Int) -> [Range<Int>] {
        var rest: [Range<Int>] = []
        var end = 0
        for range in copies.lazy.map(\.range).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > end { rest.append(end..<range.lowerBound) }
            end = max(end, range.upperBound)
        }
        if end < oldByteCount { rest.append(end..<oldByteCount) }
        return rest
    }

    /// What is added, as ranges of the new release.
    package func added(ofByteCount newByteCount: Int) -> [Range<Int>] {
        var added: [Range<Int>] = []
        var end = 0
        for copy in copies {
            if copy.addedByteCount > 0 { added.append(end..<end + copy.addedByteCount) }
            end += copy.addedByteCount + copy.range.count
        }
        if end < newByteCount { added.append(end..<newByteCount) }
        return added
    }
}

/// Three numbers a copy: how many bytes are added before, how many are copied, and how far their start is from the end of
/// the copy before, in the old release. A number is in groups of seven bits, the lowest first; the top bit of a byte says
/// that more follow. The third may be negative: its lowest bit is then 1, and the rest the distance less one.
extension PatchInstructions {
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        var end = 0
        for copy in copies {
            Self.append(UInt64(copy.addedByteCount), to: &bytes)
            Self.append(UInt64(copy.range.count), to: &bytes)
            let distance = Int64(copy.range.lowerBound - end)
            Self.append(UInt64(bitPattern: distance << 1 ^ distance >> 63), to: &bytes)
            end = copy.range.upperBound
        }
        return bytes
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Reads instructions.
    ///
    /// - Parameters:
    ///   - bytes: Their bytes.
    ///   - oldByteCount: The length of the old release.
    ///   - newByteCount: The length of the new one.
    /// - Returns: Nil when a number is malformed, a copy is empty or outside of the old release, or the new one would be
    ///   longer.
    init?(parsing bytes: [UInt8], oldByteCount: Int, newByteCount: Int) {
        var rest = bytes[...]
        var (end, left) = (0, newByteCount)
        while !rest.isEmpty {
            guard let added = Self.number(&rest), let count = Self.number(&rest), let distance = Self.number(&rest),
                count > 0, added <= left, count <= left - added
            else { return nil }
            let start = end + (distance >> 1 ^ -(distance & 1))
            guard start >= 0, start <= oldByteCount, count <= oldByteCount - start else { return nil }
            append(Copy(addedByteCount: added, range: start..<start + count))
            left -= added + count
            end = start + count
        }
    }

    /// At most 35 bits, so that sums can't overflow.
    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var number = 0
        for shift in stride(from: 0, to: 35, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            number |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }
}

/// What patches may ask of those who make and apply them.
package enum PatchLimits {
    /// The longest listing and contents of a release in bytes: 128 MiB. A larger release gets no patches; its changed
    /// files are fetched one by one. It bounds the time of a step that can't be cancelled, and the disk that applying
    /// takes.
    package static let maximumWholeByteCount = 128 << 20
    /// The longest patch in bytes: 32 MiB. It is held in memory while it is applied.
    package static let maximumByteCount = 32 << 20
    /// The longest instructions of a patch in bytes: 1 MiB. A copy takes at least three bytes.
    static let maximumInstructionByteCount = 1 << 20
}
