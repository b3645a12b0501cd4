/// Connections being accepted, until that is ended. Thread-safe.
protocol Accepting: Sendable {
    /// Those that need to be handled, each set up by who takes it from here. Ends when no more can come.
    var connections: AsyncStream<@Sendable () async throws -> AcceptedConnection> { get }

    /// Accepts no more, and ends every connection after the answers that are under way.
    func drain()

    /// Ends at once what is left of accepting.
    func stop()

    /// Waits until nothing of it runs any more.
    func end() async
}
