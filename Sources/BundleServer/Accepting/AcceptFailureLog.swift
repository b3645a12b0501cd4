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

/// Tells the log that connections can't be accepted: once, and again when it still is so after a while, for it fails many times a
/// second then. Thread-safe.
final class AcceptFailureLog: Sendable {
    /// How long it says nothing more, in seconds.
    static let interval: TimeInterval = 60

    private let logger: Logger
    private let now: @Sendable () -> Date
    private let lastTime = Mutex<Date?>(nil)

    init(logger: Logger, now: @escaping @Sendable () -> Date) {
        self.logger = logger
        self.now = now
    }

    /// - Parameter code: What accept(2) left in `errno`.
    func report(_ code: CInt) {
        let time = now()
        let isDue = lastTime.withLock { lastTime in
            // A clock that was set back must not silence it for longer.
            if let last = lastTime, abs(time.timeIntervalSince(last)) < Self.interval { return false }
            lastTime = time
            return true
        }
        if isDue { logger.warning("connections wait, for they can't be accepted: \(Self.explanation(of: code))") }
    }

    private static func explanation(of code: CInt) -> String {
        switch code {
        case EMFILE:
            """
            this process has as many files open as it may; raise its limit (ulimit -n, or LimitNOFILE= in its systemd unit), or \
            lower --max-connections
            """
        case ENFILE: "the system has as many files open as it may; raise fs.file-max, or close some elsewhere"
        case ENOBUFS, ENOMEM: "the system lacks memory for them; lower --max-connections, or add memory"
        default: String(cString: strerror(code))
        }
    }
}
