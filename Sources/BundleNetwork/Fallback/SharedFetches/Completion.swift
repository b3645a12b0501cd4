import BundleServing
import BundleStore
import HTTPTypes

/// What a request lacks of a representation of which parts are stored, and how the origin is asked for it (RFC 9111
/// §3.3, §3.4).
///
/// It is one request, from the first missing byte to the last: a change of the content is seen before the first byte has
/// been sent. With a request for each gap it would be seen in the middle, when the response can only be broken off; the
/// stored bytes between gaps are fetched again for that. A value type; safe to share between threads.
struct Completion: Sendable {
    let stored: CachedVariant
    /// What the response is made of.
    let wanted: Range<Int64>
    /// From the first byte that isn't stored to the last.
    let missing: Range<Int64>
    /// The length of the representation.
    let length: Int64
    private let condition: HTTPField

    /// Nil when nothing of what the request is for is stored, its length isn't known, or without a strong validator.
    init?(of request: HTTPRequest, from stored: CachedVariant) {
        guard let length = stored.completeLength, let condition = stored.response.rangeCondition else { return nil }
        switch stored.need(of: request) {
        case .part(let range): wanted = range
        // The client's own If-Range may be about what the origin has now.
        case .whole where !request.headerFields.contains(.ifRange): wanted = 0..<length
        case .whole, .head, nil: return nil
        }
        guard let missing = stored.missing(in: wanted), missing != wanted else { return nil }
        self.stored = stored
        self.length = length
        self.missing = missing
        self.condition = condition
    }

    private var isWhole: Bool { wanted == 0..<length }

    /// A request for what is missing, unless the content has changed (RFC 9110 §13.1.5).
    func applied(to request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.headerFields[.range] = "bytes=\(missing.lowerBound)-\(missing.upperBound - 1)"
        request.headerFields[.ifRange] = nil
        request.headerFields.append(condition)
        return request
    }

    /// What was wanted, joined from the stored parts and a 206; nil when that isn't the missing part of the same content
    /// (RFC 9110 §15.3.7.3).
    func joined(with response: OriginResponse, _ policy: CachePolicy) -> OriginResponse? {
        guard let part = response.head.receivedPart, part.range == missing, part.length ?? length == length,
            stored.response.isCombinable(with: response.head),
            let before = stored.slices(in: wanted.lowerBound..<missing.lowerBound),
            let after = stored.slices(in: missing.upperBound..<wanted.upperBound)
        else { return nil }
        var head = policy.combined(stored.response, with: response.head)
        head.headerFields[.contentLength] = String(length)
        let body = JoinedBody(before, response.body, Int(missing.count), after)
        return OriginResponse(head: isWhole ? head : head.partial(wanted, of: length), body: BodyStream(body))
    }
}

extension CachedVariant {
    /// From the first byte of a range that isn't stored to the last; nil when all are stored.
    fileprivate func missing(in range: Range<Int64>) -> Range<Int64>? {
        var (first, end) = (range.lowerBound, range.upperBound)
        for part in parts where part.range.contains(first) { first = part.range.upperBound }
        for part in parts.reversed() where part.offset < end && end <= part.range.upperBound { end = part.offset }
        return first < end ? first..<end : nil
    }
}

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
