import BundleModel
import HTTPTypes
import Synchronization

/// The body of a response as it arrives: chunks of bytes, which can be read once.
public struct BodyStream: AsyncSequence, Sendable {
    /// A chunk, of any length.
    public typealias Element = [UInt8]
    /// What the transport throws when the connection breaks.
    public typealias Failure = any Error

    /// The whole content, if it is all there already and no trailer fields follow: then nothing has to be awaited.
    package let arrived: [UInt8]?
    private let makeIterator: @Sendable () -> AsyncIterator
    private let readTrailers: @Sendable () -> HTTPFields

    /// Wraps any sequence of chunks.
    ///
    /// - Parameters:
    ///   - chunks: The chunks.
    ///   - trailers: The trailer fields; called after the last chunk has been read.
    public init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        trailers: @escaping @Sendable () -> HTTPFields = { [:] }
    ) where Chunks.Element == [UInt8] {
        let reading = Reading()
        let makeIterator: @Sendable () -> AsyncIterator = {
            guard reading.begins() else { return AsyncIterator { throw Reading.secondTime } }
            var iterator = chunks.makeAsyncIterator()
            return AsyncIterator { try await iterator.next() }
        }
        self.init(arrived: nil, makeIterator: makeIterator, readTrailers: trailers)
    }

    /// The trailer fields (RFC 9110 §6.5), once the body has been read to its end; empty before, and without any.
    public var trailers: HTTPFields { readTrailers() }

    /// The same body with its trailer fields changed.
    package func changingTrailers(_ change: @escaping @Sendable (HTTPFields) -> HTTPFields) -> BodyStream {
        let readTrailers = readTrailers
        return BodyStream(arrived: arrived, makeIterator: makeIterator, readTrailers: { change(readTrailers()) })
    }

    private init(
        arrived: [UInt8]?,
        makeIterator: @escaping @Sendable () -> AsyncIterator,
        readTrailers: @escaping @Sendable () -> HTTPFields
    ) {
        self.arrived = arrived
        self.makeIterator = makeIterator
        self.readTrailers = readTrailers
    }

    /// Creates a body in memory.
    public init(_ bytes: [UInt8]) {
        let makeIterator: @Sendable () -> AsyncIterator = {
            var rest = bytes.isEmpty ? nil : bytes
            return AsyncIterator { rest.take() }
        }
        self.init(arrived: bytes, makeIterator: makeIterator, readTrailers: { [:] })
    }

    /// Creates a body in a file or in memory. It is copied in chunks of limited size, each on demand.
    public init(_ slice: ByteSlice) {
        self.init(ByteSliceChunks(slice: slice))
    }

    /// Begins reading. A body is read once, unless it was made from an array: the second time, its first chunk is an error.
    public func makeAsyncIterator() -> AsyncIterator { makeIterator() }

    /// Reads the chunks one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let nextChunk: () async throws -> [UInt8]?

        init(_ nextChunk: @escaping () async throws -> [UInt8]?) {
            self.nextChunk = nextChunk
        }

        /// The next chunk, or nil at the end.
        ///
        /// - Throws: What the transport throws when the connection breaks; ``/BundleModel/BundleError`` with code `invalidArgument` when
        ///   the body is read for the second time.
        public mutating func next() async throws -> [UInt8]? {
            try await nextChunk()
        }
    }
}

/// Whether a body is being read, or has been. Thread-safe.
private final class Reading: Sendable {
    static let secondTime = BundleError(
        .invalidArgument,
        "the body has been read already; keep what was read, or load the URL again"
    )

    private let hasBegun = Atomic(false)

    /// True the first time.
    func begins() -> Bool { !hasBegun.exchange(true, ordering: .relaxed) }
}

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
