import BundleModel
import Foundation
import Logging
import NIOCore
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Accepts connections for a server: in clear text on Linux in loops of its own, which handle most requests themselves;
/// otherwise, and over TLS, as channels.
package struct ConnectionAcceptor: Sendable {
    let metrics: (any ServerMetrics)?
    let logger: Logger
    let now: @Sendable () -> Date

    package init(metrics: (any ServerMetrics)?, logger: Logger, now: @escaping @Sendable () -> Date) {
        self.metrics = metrics
        self.logger = logger
        self.now = now
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the system has no descriptors left.
    package func accept(from sockets: [ListeningSocket], for channel: ConnectionChannel) async throws -> any Accepting {
        let limiter = AddressLimiter.connections(channel.settings.limits, metrics: metrics)
        let failures = AcceptFailureLog(logger: logger, now: now)
        #if os(Linux)
            if channel.settings.tls == nil {
                return try LoopAccepting(from: sockets, for: channel, limiter: limiter, failures: failures, now: now)
            }
        #endif
        return try await ChannelAccepting(from: sockets, for: channel, limiter: limiter, failures: failures)
    }
}

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

/// Logs that connections can't be accepted, at most once per ``interval``, since accepting then fails many times a
/// second. Thread-safe.
package final class AcceptFailureLog: Sendable {
    /// The shortest time between two messages, in seconds.
    static let interval: TimeInterval = 60

    private let logger: Logger
    private let now: @Sendable () -> Date
    private let lastTime = Mutex<Date?>(nil)

    package init(logger: Logger, now: @escaping @Sendable () -> Date) {
        self.logger = logger
        self.now = now
    }

    /// - Parameter code: The `errno` of accept(2).
    func report(_ code: CInt) {
        let time = now()
        let isDue = lastTime.withLock { lastTime in
            // A clock that was set back must not silence it for any longer.
            if let last = lastTime, abs(time.timeIntervalSince(last)) < Self.interval { return false }
            lastTime = time
            return true
        }
        if isDue { logger.warning("connections wait because they can't be accepted: \(Self.explanation(of: code))") }
    }

    private static func explanation(of code: CInt) -> String {
        switch code {
        case EMFILE:
            """
            this process has reached its limit of open files; raise that (ulimit -n, or LimitNOFILE= in its systemd unit), or \
            lower the limit of connections
            """
        case ENFILE: "the system has reached its limit of open files; raise fs.file-max, or close files elsewhere"
        case ENOBUFS, ENOMEM: "the system has no memory for them; lower the limit of connections, or add memory"
        default: String(cString: strerror(code))
        }
    }
}
