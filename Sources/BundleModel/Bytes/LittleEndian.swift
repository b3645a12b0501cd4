extension [UInt8] {
    /// Adds the bytes of `value`, the lowest first.
    package mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    /// The integer at `offset`, which the caller knows to be inside.
    @inlinable
    package func littleEndian<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type = Value.self) -> Value {
        Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    /// The integer at `offset` from the start, or nil when it would leave the buffer.
    @inlinable
    package func littleEndian<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value? {
        guard offset >= 0, offset <= count - MemoryLayout<Value>.size else { return nil }
        return littleEndian(at: offset, as: type)
    }
}
