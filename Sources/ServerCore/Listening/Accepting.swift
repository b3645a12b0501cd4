/// Connections being accepted and served, until that is ended. Thread-safe.
package protocol Accepting: Sendable {
    /// Accepts no more, closes the sockets that were accepted from, so that new clients are refused and a successor can listen,
    /// and ends every connection after the responses that are under way. What a service manager passed stays open in its hands.
    func drain()

    /// Ends at once what is left.
    func stop()

    /// Waits until nothing of it runs any more.
    ///
    /// - Returns: How many connections were cut before their responses were through.
    func end() async -> Int
}
