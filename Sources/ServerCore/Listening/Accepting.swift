/// The accepting and serving of connections, until it is ended. Thread-safe.
package protocol Accepting: Sendable {
    /// Accepts no more connections, closes the listening sockets, so that new clients are refused and a successor can
    /// listen, and ends every connection after the responses under way. Sockets from a service manager stay open in the
    /// service manager.
    func drain()

    /// Ends the remaining connections immediately.
    func stop()

    /// Waits until everything has ended.
    ///
    /// - Returns: How many connections were cut before their responses were complete.
    func end() async -> Int
}
