import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
    private let datagram = CInt(SOCK_DGRAM.rawValue)
#elseif canImport(Musl)
    import Musl
    private let datagram = SOCK_DGRAM
#elseif canImport(Darwin)
    import Darwin
    private let datagram = SOCK_DGRAM
#endif

/// The service manager that started the process and expects to be notified of its state (sd_notify(3)).
struct ServiceManager: Sendable {
    private let path: [UInt8]
    /// The process is ended when it sends no `WATCHDOG=1` for this long (sd_watchdog_enabled(3)); nil when it isn't
    /// watched.
    let watchdogInterval: Duration?

    /// Returns nil when no service manager expects it: `NOTIFY_SOCKET` is missing, or is neither a path nor, with `@`,
    /// an abstract name.
    init?(_ environment: [String: String], processID: Int32 = getpid()) {
        guard let name = environment["NOTIFY_SOCKET"], let first = name.utf8.first, name.utf8.count > 1,
            name.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        else { return nil }
        switch first {
        case UInt8(ascii: "/"): path = Array(name.utf8)
        // Abstract names begin with a zero byte (unix(7)).
        case UInt8(ascii: "@"): path = [0] + name.utf8.dropFirst()
        default: return nil
        }
        watchdogInterval = Self.watchdogInterval(environment, processID)
    }

    /// A parent passes its variables on: they are for the process with that number.
    private static func watchdogInterval(_ environment: [String: String], _ processID: Int32) -> Duration? {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        let owner = environment["WATCHDOG_PID"]
        return owner == nil || owner == "\(processID)" ? .microseconds(microseconds) : nil
    }

    /// Sends a state. Failures are ignored: the server runs on without a service manager.
    func notify(_ state: String) {
        let descriptor = socket(AF_UNIX, datagram, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let size = socklen_t(offset + path.count)
        let message = Array(state.utf8)
        withUnsafeBytes(of: &address) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
            _ = sendto(descriptor, message, message.count, 0, address, size)
        }
    }
}

/// Tells the service manager at intervals that requests are handled (`WatchdogSec=`, systemd.service(5)). When a thread
/// hangs that serves connections, the notifications end, and the service manager starts the process again.
struct Watchdog: Sendable {
    let manager: ServiceManager
    /// Within which the service manager expects a notification.
    let interval: Duration
    let clock: any Clock<Duration>

    /// Returns nil when the service manager doesn't watch the process.
    init?(_ manager: ServiceManager?, clock: any Clock<Duration>) {
        guard let manager, let interval = manager.watchdogInterval else { return nil }
        (self.manager, self.interval, self.clock) = (manager, interval, clock)
    }

    /// Notifies until the task is cancelled, twice in an interval.
    ///
    /// - Parameter probe: Returns only while requests are handled.
    func run(_ probe: () async -> Void) async {
        while !Task.isCancelled {
            await probe()
            manager.notify("WATCHDOG=1")
            // Throws only when the task is cancelled, which the loop's condition detects.
            try? await clock.sleep(for: interval / 2)
        }
    }
}

/// Informs probes and the service manager that the endpoint is shutting down. It must be the last service, which is
/// shut down first: then load balancers know while responses are still being sent.
struct EndpointLifecycle: Service {
    let health: EndpointHealth
    let manager: ServiceManager?

    /// Call it when connections are accepted.
    func start() {
        health.startServing()
        manager?.notify("READY=1")
    }

    func run() async {
        // Throws only when the task is cancelled, which is also a reason to end.
        try? await gracefulShutdown()
        health.startDraining()
        manager?.notify("STOPPING=1")
    }
}
