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
