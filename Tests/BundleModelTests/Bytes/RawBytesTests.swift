import Testing

@testable import BundleModel

@Suite("Raw bytes")
struct RawBytesTests {
    @Test("a number is read with its lowest byte first, at any offset")
    func littleEndian() {
        let bytes: [UInt8] = [0xFF, 0x01, 0x02, 0x03, 0x04]
        bytes.withUnsafeBytes { bytes in
            #expect(bytes.littleEndian(at: 1, as: UInt32.self) == 0x0403_0201)
            #expect(bytes.littleEndian(UInt16.self, at: 3) == 0x0403)
            #expect(bytes.littleEndian(UInt8.self, at: 0) == 0xFF)
        }
    }

    @Test(
        "a number that would exceed the bytes is nil",
        arguments: [(-1, 5), (2, 5), (5, 5), (Int.max, 5), (Int.min, 5), (0, 3), (0, 0)]
    )
    func outside(_ offset: Int, _ count: Int) {
        [UInt8](repeating: 1, count: count).withUnsafeBytes { #expect($0.littleEndian(UInt32.self, at: offset) == nil) }
    }

    @Test("what is appended is read back", arguments: [0, 1, 0x1234, UInt64.max])
    func appending(_ value: UInt64) {
        var bytes: [UInt8] = [7]
        bytes.appendLittleEndian(value)
        #expect(bytes.withUnsafeBytes { $0.littleEndian(at: 1) } == value)
    }

    @Test(
        "bytes are the same or come one before the other",
        arguments: [([], []), ([], [0]), ([1], [2]), ([1], [1, 0]), ([1, 2], [1, 2]), ([0x7F], [0x80])]
            as [([UInt8], [UInt8])]
    )
    func comparison(_ first: [UInt8], _ second: [UInt8]) {
        first.withUnsafeBytes { mine in
            second.withUnsafeBytes { other in
                #expect(mine.hasSameBytes(as: other) == (first == second))
                #expect(mine.precedes(other) == first.lexicographicallyPrecedes(second))
                #expect(!other.precedes(mine))
            }
        }
    }

    @Test("memory without an address is empty")
    func emptiness() {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        [UInt8](repeating: 0, count: 4).withUnsafeBytes { bytes in
            let empty = UnsafeRawBufferPointer(rebasing: bytes[2..<2])
            #expect(none.hasSameBytes(as: empty) && empty.hasSameBytes(as: none) && none.hasSameBytes(as: none))
            #expect(!none.hasSameBytes(as: bytes) && none.precedes(bytes) && !bytes.precedes(none))
        }
    }

    @Test("hexadecimal digits of either case are read, and nothing else")
    func hexadecimal() {
        let values = (0...UInt8.max).compactMap(Hexadecimal.value)
        #expect(values == Array(0...9) + Array(10...15) + Array(10...15))
        #expect(Hexadecimal.string(of: [0x00, 0x9A, 0xFF]) == "009aff")
    }
}
