extension [UInt8] {
    /// Appends the bytes of `value`, lowest first.
    package mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    /// The integer at `offset`, which the caller has checked to be inside.
    @inlinable
    public func littleEndian<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type = Value.self) -> Value {
        Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    /// The integer at `offset` from the start, or nil when it exceeds the buffer.
    @inlinable
    public func littleEndian<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value? {
        guard offset >= 0, offset <= count - MemoryLayout<Value>.size else { return nil }
        return littleEndian(at: offset, as: type)
    }
}
