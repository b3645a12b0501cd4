#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension UnsafeRawBufferPointer {
    /// Whether both have the same length and the same bytes.
    @inlinable @inline(__always)
    public func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let mine = baseAddress, let others = other.baseAddress else { return true }
        return memcmp(mine, others, count) == 0
    }

    /// Whether the bytes precede those of `other` in lexicographic order.
    package func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        guard let mine = baseAddress, let others = other.baseAddress else { return count < other.count }
        let order = memcmp(mine, others, Swift.min(count, other.count))
        return order == 0 ? count < other.count : order < 0
    }
}

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
