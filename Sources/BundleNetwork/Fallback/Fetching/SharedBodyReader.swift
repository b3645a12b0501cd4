import BundleServing

/// What one client reads of a ``SharedBody``. When the client drops it, the client has left.
struct SharedBodyReader: AsyncSequence, Sendable {
    /// Deallocated with the client's last reference.
    fileprivate final class Seat: Sendable {
        let body: SharedBody
        let number: UInt64
        /// Keeps the fetch going.
        private let ticket: FlightTicket

        init(_ body: SharedBody, _ range: Range<Int>?, _ ticket: FlightTicket) {
            self.body = body
            self.ticket = ticket
            number = body.join(range)
        }

        deinit { body.leave(number) }
    }

    private let seat: Seat

    /// - Parameters:
    ///   - range: What the client reads; nil for everything.
    ///   - ticket: Held as long as the client reads.
    init(_ body: SharedBody, range: Range<Int>? = nil, ticket: FlightTicket) {
        seat = Seat(body, range, ticket)
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(seat: seat) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let seat: Seat

        func next() async throws -> [UInt8]? { try await seat.body.next(seat.number) }
    }
}
