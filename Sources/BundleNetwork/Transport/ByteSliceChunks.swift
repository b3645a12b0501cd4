import BundleStore

/// Copies a byte slice in chunks, so that a long one is never in memory as a whole.
struct ByteSliceChunks: AsyncSequence, Sendable {
    /// The size of a chunk in bytes; only the last is shorter.
    static let maximumByteCount = 256 << 10

    let slice: ByteSlice

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(slice: slice) }

    struct AsyncIterator: AsyncIteratorProtocol {
        let slice: ByteSlice
        private var position = 0

        init(slice: ByteSlice) {
            self.slice = slice
        }

        mutating func next() async -> [UInt8]? {
            guard position < slice.count else { return nil }
            let chunk = slice[position..<position + Swift.min(maximumByteCount, slice.count - position)]
            position += chunk.count
            return chunk.array
        }
    }
}
