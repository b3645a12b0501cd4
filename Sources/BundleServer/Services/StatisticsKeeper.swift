import BundleNetwork
import BundleUsage
import ServiceLifecycle

/// Writes the statistics at an interval, and when the server ends.
struct StatisticsKeeper: Service {
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
