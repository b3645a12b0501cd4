/// The 512-byte header that starts a tar archive (POSIX.1-2017, pax, “ustar Interchange Format”).
enum TarHeader {
    /// The size of a header, and of every other block of a tar archive.
    static let byteCount = 512

    private static let checksumField = 148..<156

    /// Whether `block` starts a tar archive: its checksum is right, or it is the zero block that ends an empty one.
    static func begins(_ block: [UInt8]) -> Bool {
        guard block.count >= byteCount else { return false }
        let header = block.prefix(byteCount)
        return header.allSatisfy { $0 == 0 } || hasValidChecksum(header)
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
