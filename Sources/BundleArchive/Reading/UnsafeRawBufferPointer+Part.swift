extension UnsafeRawBufferPointer {
    /// The bytes from `start` on, at most `count`.
    func part(from start: Int, count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: dropFirst(start).prefix(count))
    }
}
