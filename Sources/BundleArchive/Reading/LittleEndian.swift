extension RandomAccessCollection where Element == UInt8, Index == Int {
    /// The little-endian number at `offset` from the start, or nil when it would leave the collection.
    func littleEndian<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type, at offset: Int) -> Number? {
        let width = Number.bitWidth / 8
        guard offset >= 0, offset <= count - width else { return nil }
        var number: Number = 0
        for index in stride(from: width - 1, through: 0, by: -1) {
            number = number << 8 | Number(self[startIndex + offset + index])
        }
        return number
    }
}
