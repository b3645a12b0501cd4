import Foundation
import Logging
import ServiceLifecycle

/// Pushes the metrics of an endpoint at an interval. What the collector does changes nothing for clients; it is logged when it changes.
struct TelemetryService: Service {
    let exporter: TelemetryExporter
    let sources: MetricSources
    /// From the end of a push to the next one; more than zero.
    let interval: Duration
    /// Spreads the pushes of a fleet that is started at once.
    var firstDelay: Duration
    let clock: any Clock<Duration>
    let logger: Logger

    func run() async {
        await cancelWhenGracefulShutdown {
            var (last, pause) = (TelemetryExporter.Outcome.taken, firstDelay)
            while true {
                // Throws only when the service is shut down or cancelled.
                guard (try? await clock.sleep(for: pause)) != nil else { return }
                let (outcome, wish) = await exporter.push(await sources.page(), since: sources.process.startTime)
                guard !Task.isCancelled else { return }
                if !outcome.isAlike(last) { log(outcome) }
                (last, pause) = (outcome, max(interval, wish))
            }
        }
    }

    private func log(_ outcome: TelemetryExporter.Outcome) {
        if let warning = outcome.warning {
            logger.warning("telemetry: \(warning)")
        } else {
            logger.notice("telemetry: the metrics are taken again")
        }
    }
}
