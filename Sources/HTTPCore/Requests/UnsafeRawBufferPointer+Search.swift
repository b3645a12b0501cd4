#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension UnsafeRawBufferPointer {
    /// Whether these bytes contain those of `other` as a sequence.
    package func contains(bytesOf other: UnsafeRawBufferPointer) -> Bool {
        guard !other.isEmpty else { return true }
        guard let mine = baseAddress, let others = other.baseAddress else { return false }
        var start = 0
        while start + other.count <= count,
            let found = memchr(mine + start, Int32(other[0]), count - other.count - start + 1)
        {
            start = UnsafeRawPointer(found) - mine
            if memcmp(found, others, other.count) == 0 { return true }
            start += 1
        }
        return false
    }
}
