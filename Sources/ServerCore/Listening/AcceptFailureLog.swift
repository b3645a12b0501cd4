import Foundation
import Logging
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
