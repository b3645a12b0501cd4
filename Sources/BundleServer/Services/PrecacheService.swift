import BundleNetwork
import BundleServing
import BundleStore
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Fetches what manifests name as `precache`: at the start, after each change of the store, and again after failures. A
/// failure is logged and never ends the server.
struct PrecacheService: Service {
    /// How often it checks for work.
    static let interval: Duration = .seconds(1)
    /// How long it waits after a change: the process that has installed a release fetches them itself.
    static let delay: Duration = .seconds(2)
    /// The time between two rounds, which only read the catalog if nothing is due.
    static let shortest: Duration = .seconds(10)
    static let longest: Duration = .seconds(600)
    /// How long a round takes at most.
    static let roundLimit: Duration = .seconds(600)

    private let layers: LayeredResponder
    private let resolver: LiveResolver
    private let statistics: PrecacheStatistics
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date
    private let logger: Logger

    init(
        _ layers: LayeredResponder,
        _ resolver: LiveResolver,
        statistics: PrecacheStatistics,
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Date,
        logger: Logger
    ) {
        self.layers = layers
        self.resolver = resolver
        self.statistics = statistics
        self.clock = clock
        self.now = now
        self.logger = logger
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            let elapsed = clock.stopwatch()
            var generation = resolver.generation
            var next = Self.delay
            var known: [String: Int] = [:]
            while !Task.isCancelled {
                if generation != resolver.generation {
                    generation = resolver.generation
                    next = min(next, elapsed() + Self.delay)
                }
                if elapsed() >= next {
                    let reports = await layers.precache(within: Self.roundLimit)
                    statistics.note(reports)
                    known = log(reports, known)
                    next = elapsed() + pause(after: reports)
                }
                // Throws only when the service is shut down or cancelled, which the loop's condition detects.
                try? await clock.sleep(for: Self.interval)
            }
        }
    }

    /// The time until the next attempt that is due.
    private func pause(after reports: [PrecacheReport]) -> Duration {
        let date = now()
        let missing = reports.flatMap(\.missing).filter { !$0.isGivenUp }
        guard !missing.isEmpty else { return Self.longest }
        let seconds = missing.map { $0.nextTry?.timeIntervalSince(date) ?? 0 }.min() ?? 0
        return min(max(.milliseconds(Int64(min(max(seconds, 0), 86_400) * 1_000)), Self.shortest), Self.longest)
    }

    /// Logs what has changed. Returns how many URLs of each release are stored.
    private func log(_ reports: [PrecacheReport], _ known: [String: Int]) -> [String: Int] {
        var counts: [String: Int] = [:]
        for report in reports {
            let label = "\(report.name)@\(report.version)"
            counts[label] = report.storedCount
            guard known[label] != report.storedCount else { continue }
            let failure = report.missing.lazy.compactMap(\.failure).first.map { "; \($0)" } ?? ""
            logger.info("\(label): \(report.storedCount) of \(report.items.count) URLs are fetched ahead\(failure)")
        }
        return counts
    }
}
