import Foundation
import ServiceLifecycle
import UnixSignals

/// Has the configuration read again at SIGHUP, and tells the service manager while that takes place.
struct ConfigurationKeeper: Service {
    /// SIGHUP, trapped already.
    let signals: UnixSignalsSequence
    let manager: ServiceManager?
    let reload: @Sendable () async -> Void

    func run() async {
        for await _ in signals.cancelOnGracefulShutdown() {
            manager?.notify("RELOADING=1\nMONOTONIC_USEC=\(Self.microseconds)")
            await reload()
            manager?.notify("READY=1")
        }
    }

    /// The monotonic clock, by which the manager tells this notification from earlier ones (sd_notify(3)).
    private static var microseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    }
}
