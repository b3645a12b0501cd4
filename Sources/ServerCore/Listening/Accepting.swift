import NIOCore

/// The accepting and serving of connections, until it is ended. Thread-safe.
package protocol Accepting: Sendable {
    /// Accepts no more connections, closes the listening sockets, so that new clients are refused and a successor can
    /// listen, and ends every connection after the responses under way. Sockets from a service manager stay open in the
    /// service manager.
    func drain()

    /// Ends the remaining connections immediately.
    func stop()

    /// Returns once each thread that serves connections has had a turn: not while one hangs.
    func probe() async

    /// Waits until everything has ended.
    ///
    /// - Returns: How many connections were cut before their responses were complete.
    func end() async -> Int
}

extension EventLoopGroup {
    /// Returns once each event loop has had a turn.
    func probe() async {
        for loop in makeIterator() { try? await loop.submit {}.get() }
    }
}
