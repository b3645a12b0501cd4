import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import Synchronization
import Testing

@testable import BundleServer

@Suite("The metrics of the store")
struct StoreGaugeTests {
    @Test("every kind of bytes is reported, coded forms included")
    func kinds() async throws {
        try await withStore { store in
            try store.installShop()
            let lines = await Self.lines(StoreGauge(store))
            for kind in [
                "live", "dead", "undetermined", "index", "cache", "variant", "download", "incoming", "catalog",
            ] {
                #expect(lines.contains { $0.hasPrefix("bundlectl_store_bytes{kind=\"\(kind)\"} ") })
            }
        }
    }

    @Test("it is read at most once a minute, the updates too")
    func age() async throws {
        try await withStore { store in
            try store.installShop(feed: "https://m.example.com/feed.json")
            let shop = BundleName("shop")
            let start = ContinuousClock.now
            let passed = Mutex(Duration.zero)
            let gauge = StoreGauge(store, now: { start + passed.withLock { $0 } })
            try store.recordCheck(of: shop, failure: nil)
            for (second, failing) in [(0, 0), (59, 0), (60, 1)] {
                passed.withLock { $0 = .seconds(second) }
                let line = #"bundlectl_update_failing{bundle="shop"} \#(failing)"#
                let lines = await Self.lines(gauge)
                #expect(lines.contains(line))
                #expect(lines.contains(#"bundlectl_update_on_hold{bundle="shop"} 0"#))
                try store.recordCheck(of: shop, failure: "no network")
            }
        }
    }

    @Test("each role has until when it is signed, and whether that is due")
    func trust() async throws {
        let root = try Project.contents("Tests/BundleTrustTests/PythonRepository/1.root.json")
        // Until 2099-01-01.
        for (time, due) in [(1_767_225_600, 0), (4_070_908_800 - 86_400, 1)] as [(TimeInterval, Int)] {
            try await withStore(now: { Date(timeIntervalSince1970: time) }) { store in
                try store.installShop()
                let before = await Self.lines(StoreGauge(store))
                #expect(!before.contains { $0.contains("bundlectl_trust") })
                try store.trust(BundleName("shop"), root: root, named: "root.json")
                let lines = await Self.lines(StoreGauge(store))
                let labels = #"{bundle="shop",role="root"}"#
                #expect(lines.contains("bundlectl_trust_expiry_timestamp_seconds\(labels) 4070908800"))
                #expect(lines.contains("bundlectl_trust_due\(labels) \(due)"))
            }
        }
    }

    private static func lines(_ gauge: StoreGauge) async -> [String] {
        var page = MetricPage()
        await gauge.write(to: &page)
        return PrometheusText(page).text.split(separator: "\n").map(String.init)
    }
}
