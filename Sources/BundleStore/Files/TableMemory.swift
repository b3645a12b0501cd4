#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Memory for a large table, initially zero. It comes from the system and is returned at once: the allocator would keep
/// the memory of one table, and that of the next would add to it.
///
/// Not thread-safe.
final class TableMemory<Element: FixedWidthInteger> {
    private let elements: UnsafeMutableBufferPointer<Element>

    /// - Parameter count: Over 0. If there is not enough memory the process ends, as it does for an array.
    init(count: Int) {
        let byteCount = count * MemoryLayout<Element>.stride
        guard let address = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            address != MAP_FAILED
        else { fatalError("no memory for a table of \(byteCount) bytes") }
        elements = UnsafeMutableBufferPointer(
            start: address.bindMemory(to: Element.self, capacity: count),
            count: count
        )
    }

    deinit {
        munmap(elements.baseAddress, elements.count * MemoryLayout<Element>.stride)
    }

    var count: Int { elements.count }

    subscript(index: Int) -> Element {
        get {
            precondition(elements.indices.contains(index))
            return elements[index]
        }
        set {
            precondition(elements.indices.contains(index))
            elements[index] = newValue
        }
    }

    /// Provides the table's bytes.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(elements))
    }
}
