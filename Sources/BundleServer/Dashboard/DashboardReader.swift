import BundleNetwork
import BundleServing
import BundleStore
import BundleUsage
import Foundation

/// Reads what the dashboard shows. Thread-safe.
struct DashboardReader: Sendable {
    let store: BundleStore
    /// Where bundles open, and how often updates are looked for.
    let live: LiveConfiguration
    /// The endpoint's own URL.
    let endpoint: String
    let jobs: DashboardJobs
    let gauge: StoreGauge
    let network: NetworkGauge
    let health: EndpointHealth
    /// Nil when no statistics are counted.
    let usage: UsageRecorder?
    /// Whether the endpoint can update bundles.
    let mayUpdate: Bool
    let startedAt: Date
    let now: @Sendable () -> Date

    /// Reads the catalog on a thread that may block. What can't be read is left out.
    func read() async -> DashboardState {
        let (usage, storage) = (await readUsage(), await gauge.storage())
        return await withTaskExecutorPreference(BlockingExecutor()) {
            let bundles = store.snapshot.sortedBundles
            return DashboardState(
                server: DashboardServer(
                    version: ProductVersion.string,
                    startedAt: startedAt,
                    checkInterval: checkInterval.map { Double($0.components.seconds) },
                    problem: health.problem,
                    bundleCount: bundles.count
                ),
                bundles: bundles.prefix(DashboardState.bundleCount).map(read),
                usage: usage,
                storage: storage.map(DashboardStorage.init),
                events: (try? store.latestEvents(DashboardState.eventCount)) ?? [],
                origins: origins
            )
        }
    }

    private func read(_ bundle: InstalledBundle) -> DashboardBundle {
        DashboardBundle(
            bundle,
            try? store.updateState(of: bundle.name),
            choice: try? store.lastEvent(.decided, of: bundle.name),
            live.configuration.addresses,
            at: endpoint,
            obstacle: jobs.obstacle,
            job: jobs.state(of: bundle.name)
        )
    }

    private var origins: [OriginState] {
        network.origins.map { state in
            var state = state
            state.failure = state.failure.map { String($0.prefix(DashboardState.textLength)) }
            // It changes as time passes, and streams send each change.
            state.nextTry = nil
            return state
        }
    }

    private var checkInterval: Duration? { mayUpdate ? live.configuration.checkInterval : nil }

    private func readUsage() async -> UsageReport? {
        // What is kept by the hour begins with the hour.
        let hour = now().addingTimeInterval(-DashboardState.usageInterval).timeIntervalSince1970 / 3_600
        let since = Date(timeIntervalSince1970: hour.rounded(.down) * 3_600)
        return try? await usage?.report(since: since, listCount: DashboardState.missCount)
    }
}
