import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import BundleServer

@Suite("The metrics that a fleet is watched by")
struct FleetGaugeTests {
    private static let shop = BundleName("shop")

    @Test(
        "rollbacks are counted by the version that was left and by their cause, over restarts and by other users of the store"
    )
    func causes() async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path(of: "store"), creating: true)
            for version in ["1.0.0", "1.1.0", "1.2.0"] {
                try store.installTrial(version)
                try store.confirm(Self.shop)
            }
            let gauge = FleetGauge(store)
            let before = Self.samples(gauge, "bundlectl_rollbacks_total")
            #expect(before.count == 3 * RollbackCause.allCases.count && before.allSatisfy { $0.hasSuffix(" 0") })

            let other = try BundleStore(at: directory.path(of: "store"))
            try other.rollBack(Self.shop)
            try other.markBad(Self.shop, BundleVersion("1.1.0"), reason: "the cart stays empty")
            try store.installTrial("1.4.0")
            try store.noteLoad(of: Self.shop, BundleVersion("1.4.0"))
            #expect(store.judgeStarts().map(\.reason) == ["not confirmed in 1 starts"])
            let expected = [
                #"{bundle="shop",version="1.4.0",cause="not_confirmed_in_starts"} 1"#,
                #"{bundle="shop",version="1.1.0",cause="marked_bad"} 1"#,
                #"{bundle="shop",version="1.2.0",cause="requested"} 1"#,
            ]
            for reader in [gauge, FleetGauge(try BundleStore(at: directory.path(of: "store")))] {
                #expect(Self.samples(reader, "bundlectl_rollbacks_total").filter { !$0.hasSuffix(" 0") } == expected)
            }
        }
    }

    @Test("a verdict after which nothing is left is a report and no rollback, and all goes with the bundle")
    func verdicts() async throws {
        try await withStore { store in
            try store.installTrial("1.0.0")
            try store.markBad(Self.shop, BundleVersion("1.0.0"), reason: "slow")
            let gauge = FleetGauge(store)
            let labels = #"{bundle="shop",version="1.0.0"} "#
            #expect(Self.samples(gauge, "bundlectl_release_activations_total") == [labels + "1"])
            #expect(Self.samples(gauge, "bundlectl_release_confirmations_total") == [labels + "0"])
            #expect(Self.samples(gauge, "bundlectl_release_bad_reports_total") == [labels + "1"])
            #expect(Self.samples(gauge, "bundlectl_rollbacks_total").allSatisfy { $0.hasSuffix(" 0") })
            try store.remove(Self.shop, nil)
            for metric in ["bundlectl_release_bad_reports_total", "bundlectl_update_failures_total"] {
                #expect(Self.samples(gauge, metric).isEmpty)
            }
        }
    }

    @Test(
        "each failure has a reason, the last success is that of the last check, and the versions behind follow the active one"
    )
    func updates() async throws {
        let clock = TestClock()
        try await withStore(now: clock.read) { store in
            try store.installShop(feed: "https://m.example.com/feed.json")
            let gauge = FleetGauge(store)
            #expect(Self.samples(gauge, "bundlectl_update_last_success_timestamp_seconds").isEmpty)
            #expect(Self.samples(gauge, "bundlectl_update_versions_behind").isEmpty)
            let active = try #require(store.snapshot.bundles[Self.shop]?.activeVersion)
            try store.recordOffer([BundleVersion("9.1.0"), BundleVersion("9.0.0"), active], of: Self.shop)
            for reason in [UpdateFailureReason.network, .network, .signature] {
                try store.recordCheck(of: Self.shop, failure: "no response", reason: reason)
            }
            for second in 1...2 {
                clock.advance(by: .seconds(1))
                try store.recordCheck(of: Self.shop, failure: nil)
                let time = Int(TestClock().read().timeIntervalSince1970) + second
                #expect(
                    Self.samples(gauge, "bundlectl_update_last_success_timestamp_seconds") == [
                        #"{bundle="shop"} \#(time)"#
                    ]
                )
            }
            let failures = Self.samples(gauge, "bundlectl_update_failures_total")
            #expect(failures.count == UpdateFailureReason.allCases.count)
            #expect(failures.contains(#"{bundle="shop",reason="network"} 2"#))
            #expect(failures.contains(#"{bundle="shop",reason="signature"} 1"#))
            #expect(failures.contains(#"{bundle="shop",reason="store"} 0"#))
            #expect(Self.samples(gauge, "bundlectl_update_versions_behind") == [#"{bundle="shop"} 2"#])
        }
    }

    /// The samples of a metric without its name, in their order.
    private static func samples(_ gauge: FleetGauge, _ name: String) -> [String] {
        var page = MetricPage()
        gauge.write(to: &page)
        return PrometheusText(page).text.split(separator: "\n").filter { $0.hasPrefix(name + "{") }
            .map { String($0.dropFirst(name.count)) }
    }
}
