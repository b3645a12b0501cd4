import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import ServiceLifecycle
import Testing

@testable import BundleServer

@Suite("Fetching ahead by the server's clock", .timeLimit(.minutes(5)))
struct PrecacheServiceTests {
    private static let url = "https://m.example.com/shop/a"

    private func install(_ version: String, in store: BundleStore) throws {
        try store.install(
            """
            {"name": "shop", "version": "\(version)", "network": {"precache": ["\(Self.url)"]},
             "origins": [{"url": "https://m.example.com/shop/", "path": "/"}]}
            """,
            ["index.html": "shop"]
        )
    }

    private func withKeeper(
        _ network: ScriptedTransport,
        _ body: (BundleStore, LiveResolver, TestClock, PrecacheStatistics, RecordedLog) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let (clock, log, statistics) = (TestClock(), RecordedLog(), PrecacheStatistics())
            let store = try BundleStore(at: directory.path(of: "store"), creating: true, now: clock.read)
            let resolver = LiveResolver(store)
            let layers = LayeredResponder(
                resolver,
                store: store,
                transport: network,
                policy: CachePolicy(isShared: false),
                now: clock.read
            )
            let keeper = PrecacheService(
                layers,
                resolver,
                statistics: statistics,
                clock: clock,
                now: clock.read,
                logger: log.logger
            )
            try install("1", in: store)
            let group = ServiceGroup(configuration: .init(services: [keeper], logger: log.logger))
            let running = Task { try await group.run() }
            do { try await body(store, resolver, clock, statistics, log) } catch {
                running.cancel()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await running.value
        }
    }

    @Test("begins two seconds after the start, and after an update")
    func rounds() async throws {
        let network = ScriptedTransport()
        network.response(Self.url, .ok, [.cacheControl: "max-age=60"], "a")
        try await withKeeper(network) { store, resolver, clock, statistics, log in
            try await clock.step(by: .seconds(1))
            #expect(network.requests.isEmpty)
            try await clock.step(by: .seconds(1))
            #expect(network.requests.count == 1)
            var page = MetricPage()
            statistics.write(to: &page)
            #expect(PrometheusText(page).text.contains(#"bundlectl_precache_urls{bundle="shop",state="stored"} 1"#))
            try install("2", in: store)
            try resolver.refresh()
            try await clock.step(by: .seconds(1))
            try await clock.step(by: .seconds(2))
            #expect(network.requests.count == 2)
            #expect(log.lines.contains("info: shop@2: 1 of 1 URLs are fetched ahead"))
        }
    }

    @Test("without a network is repeated when it is due, and the log says why it failed")
    func retried() async throws {
        let network = ScriptedTransport()
        network.isDown = true
        try await withKeeper(network) { _, _, clock, statistics, log in
            try await clock.step(by: .seconds(2))
            #expect(log.lines.first?.hasPrefix("info: shop@1: 0 of 1 URLs are fetched ahead; no server") == true)
            network.isDown = false
            network.response(Self.url, .ok, [.cacheControl: "max-age=60"], "a")
            try await clock.step(by: .seconds(9))
            #expect(network.requests.isEmpty)
            try await clock.step(by: .seconds(40))
            #expect(network.requests.count == 1)
            #expect(log.lines.count == 2)
            var page = MetricPage()
            statistics.write(to: &page)
            #expect(PrometheusText(page).text.contains(#"bundlectl_precache_urls{bundle="shop",state="missing"} 0"#))
        }
    }
}
