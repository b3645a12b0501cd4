import BundleNetwork
import BundleStore
import BundleUsage
import Foundation
import ServiceLifecycle
import UnixSignals

/// Has the configuration read again at SIGHUP, and tells the service manager while that takes place.
struct ConfigurationService: Service {
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

/// Writes the statistics at an interval, and when the server ends.
struct StatisticsService: Service {
    let usage: UsageRecorder
    /// More than zero.
    let interval: Duration
    let clock: any Clock<Duration>

    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // Throws only when the service is shut down or cancelled, and then the last are written.
                try? await clock.sleep(for: interval)
                await usage.flush()
            }
        }
    }
}

/// Writes what the cache still holds when the server ends: responses are written behind.
struct CacheService: Service {
    let store: BundleStore

    func run() async {
        // Ends early only when the task is cancelled, and then there is as much to write.
        try? await gracefulShutdown()
        await store.flushCache()
    }
}
