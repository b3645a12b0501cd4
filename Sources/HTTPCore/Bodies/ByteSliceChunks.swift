import BundleModel


/// Copies a byte slice in chunks, so that a long one is never in memory as a whole.
package struct ByteSliceChunks: AsyncSequence, Sendable {
    /// The size of a chunk in bytes; only the last is shorter.
    package static let maximumByteCount = 256 << 10

    private let slice: ByteSlice

    package init(slice: ByteSlice) {
        self.slice = slice
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(slice: slice) }

    package struct AsyncIterator: AsyncIteratorProtocol {
        private let slice: ByteSlice
        private var position = 0

        fileprivate init(slice: ByteSlice) {
            self.slice = slice
        }

        package mutating func next() async -> [UInt8]? {
            guard position < slice.count else { return nil }
            let chunk = slice[position..<position + Swift.min(maximumByteCount, slice.count - position)]
            position += chunk.count
            return chunk.array
        }
    }
}
