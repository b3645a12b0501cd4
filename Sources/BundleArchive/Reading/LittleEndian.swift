extension UnsafeRawBufferPointer {
    /// The little-endian number at `offset` from the start, or nil when it would leave the buffer.
    func littleEndian<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _: Number.Type,
        at offset: Int
    ) -> Number? {
        guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { return nil }
        return Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// The bytes from `start` on, at most `count`.
    func part(from start: Int, count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: dropFirst(start).prefix(count))
    }
}
