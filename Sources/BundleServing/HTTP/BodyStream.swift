import BundleStore

/// The body of a response as it arrives: chunks of bytes, to be read once.
public struct BodyStream: AsyncSequence, Sendable {
    /// A chunk, of any length.
    public typealias Element = [UInt8]
    /// What the transport throws when the connection breaks.
    public typealias Failure = any Error

    private let makeIterator: @Sendable () -> AsyncIterator

    /// Wraps any sequence of chunks.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == [UInt8] {
        makeIterator = { AsyncIterator(chunks.makeAsyncIterator()) }
    }

    /// A body that is there already.
    public init(_ bytes: [UInt8]) {
        self.init(
            AsyncStream { continuation in
                if !bytes.isEmpty { continuation.yield(bytes) }
                continuation.finish()
            }
        )
    }

    /// A body that is in a file, or in memory, already. It is copied in chunks of limited size, each when it is asked for.
    public init(_ slice: ByteSlice) {
        self.init(ByteSliceChunks(slice: slice))
    }

    /// Begins to read; once only.
    public func makeAsyncIterator() -> AsyncIterator { makeIterator() }

    /// Reads the chunks one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var iterator: any AsyncIteratorProtocol

        init(_ iterator: any AsyncIteratorProtocol) {
            self.iterator = iterator
        }

        /// The next chunk, or nil at the end.
        ///
        /// - Throws: What the transport throws when the connection breaks.
        public mutating func next() async throws -> [UInt8]? {
            try await iterator.next() as? [UInt8]
        }
    }
}
