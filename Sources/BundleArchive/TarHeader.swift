/// The 512-byte header of a tar archive's entry (POSIX.1-2017, pax, “ustar Interchange Format”, and GNU tar's own).
package struct TarHeader {
    /// The size of a header, and of every other block of a tar archive.
    package static let byteCount = 512

    private static let nameField = 0..<100
    private static let sizeField = 124..<136
    private static let checksumField = 148..<156
    private static let typeFlagOffset = 156
    private static let magicField = 257..<265
    /// The field of GNU tar's sparse map, and the flag whether the map continues in the next block.
    private static let sparseField = 386..<483

    private let block: [UInt8]

    /// Creates a header from a block of ``byteCount`` bytes; nil when its checksum is wrong.
    package init?(_ block: [UInt8]) {
        guard block.count == Self.byteCount, Self.hasValidChecksum(block[...]) else { return nil }
        self.block = block
    }

    /// Whether `block` starts a tar archive: its checksum is right, or it is the zero block that ends an empty one.
    package static func begins(_ block: [UInt8]) -> Bool {
        guard block.count >= byteCount else { return false }
        let header = block.prefix(byteCount)
        return header.allSatisfy { $0 == 0 } || hasValidChecksum(header)
    }

    /// The type of the entry.
    package var typeFlag: UInt8 { block[Self.typeFlagOffset] }

    /// The name for errors: it may be truncated, and invalid UTF-8 is replaced.
    package var displayName: String { String(decoding: block[Self.nameField].prefix { $0 != 0 }, as: UTF8.self) }

    /// The number of bytes that follow, without the padding of the last block.
    ///
    /// - Throws: ``ArchiveError`` with code `damaged` when it isn't a number.
    package func declaredByteCount() throws(ArchiveError) -> Int64 {
        guard let byteCount = Self.number(block[Self.sizeField]) else { throw .tarWithoutSize }
        return byteCount
    }

    /// Whether the fields after the magic are those of GNU tar.
    package var isGNU: Bool { block[Self.magicField].elementsEqual("ustar  \u{0}".utf8) }

    /// Whether the header has the form of POSIX or GNU tar, or has no magic at all, as before POSIX. Programs disagree
    /// whether a similar header has a `prefix` field for the name.
    package var hasClearForm: Bool {
        let magic = block[Self.magicField]
        return isGNU || magic.starts(with: "ustar\u{0}".utf8) || !magic.starts(with: "ustar".utf8)
    }

    /// Whether the field of GNU tar's sparse map isn't empty.
    package var hasSparseMap: Bool { isGNU && block[Self.sparseField].contains { $0 != 0 } }

    /// Whether every program reads the map: a map that continues must have begun.
    package var hasSoundSparseMap: Bool { isGNU && block[Self.sparseField.lowerBound] != 0 }

    /// Whether the map continues in the next block.
    package var sparseMapContinues: Bool { block[Self.sparseField.upperBound - 1] != 0 }

    /// The number of data pieces in a block that continues a map; a header has four.
    package static let sparseExtentsPerBlock = 21

    /// Whether the map continues after `block`, which continues it.
    package static func sparseMapContinues(behind block: [UInt8]) -> Bool { block[504] != 0 }

    /// Octal digits between spaces and NULs, or, for larger numbers in GNU tar and star, a byte 0x80 and the binary
    /// number.
    private static func number(_ field: ArraySlice<UInt8>) -> Int64? {
        if field.first == 0x80 {
            let value = field.dropFirst(4).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            return field.dropFirst().prefix(3).allSatisfy { $0 == 0 } ? Int64(exactly: value) : nil
        }
        let start = field.drop { $0 == UInt8(ascii: " ") }
        let digits = start.prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
        let isEnded = start.dropFirst(digits.count).allSatisfy { $0 == UInt8(ascii: " ") || $0 == 0 }
        guard isEnded, !digits.isEmpty else { return nil }
        return digits.reduce(0 as Int64) { $0 << 3 | Int64($1 & 7) }
    }

    private static func hasValidChecksum(_ header: ArraySlice<UInt8>) -> Bool {
        var stored = 0
        for byte in header[checksumField] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "7"): stored = stored << 3 | Int(byte & 7)
            case UInt8(ascii: " "), 0: continue
            default: return false
            }
        }
        var sum = 0
        for (index, byte) in header.enumerated() {
            sum += checksumField.contains(index) ? 0x20 : Int(byte)
        }
        return sum == stored
    }
}

extension ArchiveError {
    /// A size field that isn't a number.
    package static var tarWithoutSize: ArchiveError {
        ArchiveError(.damaged, "has a size that isn't a number", advice: fetchAgain)
    }
}
