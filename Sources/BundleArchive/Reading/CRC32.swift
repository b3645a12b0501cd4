/// The checksum of gzip and zip (RFC 1952, section 8), eight bytes at a time (“slicing by 8”).
struct CRC32 {
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for index in 0..<256 {
            var value = UInt32(index)
            for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
            tables[index] = value
        }
        for index in 256..<tables.count {
            let previous = tables[index - 256]
            tables[index] = previous >> 8 ^ tables[Int(previous & 0xFF)]
        }
        return tables
    }()

    private var state: UInt32 = .max

    /// The checksum of everything so far.
    var value: UInt32 { ~state }

    /// Adds `bytes`.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        Self.tables.withUnsafeBufferPointer { tables in
            var state = state
            let wholeCount = bytes.count & ~7
            for offset in stride(from: 0, to: wholeCount, by: 8) {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                state = Self.next(word ^ UInt64(state), tables)
            }
            for byte in bytes[wholeCount...] {
                state = state >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: state) ^ byte)]
            }
            self.state = state
        }
    }

    @inline(__always)
    private static func next(_ word: UInt64, _ tables: UnsafeBufferPointer<UInt32>) -> UInt32 {
        func entry(_ table: Int, _ shift: UInt64) -> UInt32 {
            tables[table << 8 | Int(UInt8(truncatingIfNeeded: word >> shift))]
        }
        let low = entry(7, 0) ^ entry(6, 8) ^ entry(5, 16) ^ entry(4, 24)
        return low ^ entry(3, 32) ^ entry(2, 40) ^ entry(1, 48) ^ entry(0, 56)
    }
}
