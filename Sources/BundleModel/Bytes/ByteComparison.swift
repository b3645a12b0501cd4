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
