extension UnsafeRawBufferPointer {
    /// At most `count` bytes from `start` on.
    func part(from start: Int, count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: dropFirst(start).prefix(count))
    }
}
