import BundleServing
import BundleStore

/// A body of stored bytes, bytes that are arriving, and stored bytes again. It is read as fast as the client reads.
struct JoinedBody: AsyncSequence, Sendable {
    private let before: [ByteSlice]
    private let arriving: BodyStream
    private let arrivingByteCount: Int
    private let after: [ByteSlice]

    /// - Parameter arrivingByteCount: How many bytes have to arrive: with more or fewer the body breaks off.
    init(_ before: [ByteSlice], _ arriving: BodyStream, _ arrivingByteCount: Int, _ after: [ByteSlice]) {
        self.before = before
        self.arriving = arriving
        self.arrivingByteCount = arrivingByteCount
        self.after = after
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(before: before[...], arriving.makeAsyncIterator(), arrivingByteCount, after: after[...])
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        private var before: ArraySlice<ByteSlice>
        /// Nil at its end.
        private var arriving: BodyStream.AsyncIterator?
        private var missingByteCount: Int
        private var after: ArraySlice<ByteSlice>

        fileprivate init(
            before: ArraySlice<ByteSlice>,
            _ arriving: BodyStream.AsyncIterator,
            _ missingByteCount: Int,
            after: ArraySlice<ByteSlice>
        ) {
            self.before = before
            self.arriving = arriving
            self.missingByteCount = missingByteCount
            self.after = after
        }

        mutating func next() async throws -> [UInt8]? {
            if let chunk = try Self.take(&before) { return chunk }
            if let chunk = try await arriving?.next() {
                missingByteCount -= chunk.count
                guard missingByteCount >= 0 else { throw Self.wrongLength }
                return chunk
            }
            guard missingByteCount == 0 else { throw Self.wrongLength }
            arriving = nil
            return try Self.take(&after)
        }

        private static func take(_ slices: inout ArraySlice<ByteSlice>) throws -> [UInt8]? {
            guard let slice = slices.popFirst() else { return nil }
            let chunk = slice[0..<Swift.min(slice.count, ByteSliceChunks.maximumByteCount)]
            if chunk.count < slice.count { slices = [slice[chunk.count..<slice.count]] + slices }
            let bytes = chunk.array
            guard !slice.hasFaulted else {
                throw BundleError(.storeUnavailable, "a stored part of the response can't be read; check the disk")
            }
            return bytes
        }

        private static let wrongLength =
            BundleError(
                .networkUnavailable,
                "the part of the response hasn't the length that it says; check the server"
            )
    }
}
