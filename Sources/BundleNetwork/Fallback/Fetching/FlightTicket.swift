/// The part of one request in a ``Flight``, which it leaves when the ticket is released. Thread-safe.
final class FlightTicket: Sendable {
    let flight: Flight
    /// Whether the request began the fetch.
    let isFirst: Bool

    init(_ flight: Flight, isFirst: Bool) {
        self.flight = flight
        self.isFirst = isFirst
    }

    deinit { flight.giveBack(isFirst: isFirst) }

    /// Waits for the outcome.
    ///
    /// - Parameter limit: How long at most; nil for any time.
    /// - Returns: Nil when the time is over, or the task is cancelled, before.
    func outcome(within limit: Duration?, _ clock: any Clock<Duration>) async -> Flight.Outcome? {
        let outcome = await flight.wait(limit, clock)
        guard isFirst, case .unshared = outcome, let response = flight.takePassing() else { return outcome }
        return .passing(response)
    }
}
