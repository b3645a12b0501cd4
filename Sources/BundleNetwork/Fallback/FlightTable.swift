/// Lets requests for the same thing share one fetch: those that arrive while it is running wait for its outcome.
actor FlightTable<Outcome: Sendable> {
    private var flights: [String: Task<Outcome, Never>] = [:]

    /// Runs `operation`, or waits for the one that is already running under this key.
    ///
    /// The operation isn't cancelled with the caller: others may be waiting for it.
    ///
    /// - Returns: The outcome, and whether another caller's operation gave it.
    func run(
        _ key: String,
        _ operation: @escaping @Sendable () async -> Outcome
    ) async -> (outcome: Outcome, isShared: Bool) {
        if let flight = flights[key] { return (await flight.value, true) }
        let flight = Task { await operation() }
        flights[key] = flight
        let outcome = await flight.value
        flights[key] = nil
        return (outcome, false)
    }
}
