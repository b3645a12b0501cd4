import BundleStore
import BundleTesting
import Testing

@testable import BundleServer

@Suite("The states of releases in the metrics")
struct ReleaseStatesTests {
    private let shop = BundleName("shop")

    @Test("a release on trial is that until it is confirmed, and one that never was active is nothing")
    func trial() async throws {
        try await withStore { store in
            try store.installTrial("1.0.0")
            let gauge = StoreGauge(store)
            #expect(await Self.states(gauge) == ["1.0.0": ["on_trial"]])
            try store.confirm(shop)
            try store.installTrial("1.1.0", activating: false)
            #expect(await Self.states(gauge) == ["1.0.0": ["confirmed"], "1.1.0": []])
        }
    }

    @Test("one that was marked bad is bad and held until it is activated again, and held too once it is removed")
    func bad() async throws {
        try await withStore { store in
            let (shop, version) = (shop, BundleVersion("1.1.0"))
            try store.installTrial("1.0.0")
            try store.confirm(shop)
            try store.installTrial("1.1.0")
            try store.markBad(shop, version, reason: "the cart stays empty")
            let gauge = StoreGauge(store)
            #expect(await Self.states(gauge) == ["1.0.0": ["confirmed"], "1.1.0": ["bad", "held"]])
            try store.activate(shop, version)
            #expect(await Self.states(gauge) == ["1.0.0": ["confirmed"], "1.1.0": ["on_trial"]])
            try store.markBad(shop, version, reason: "the cart stays empty")
            try store.remove(shop, version)
            #expect(await Self.states(gauge) == ["1.0.0": ["confirmed"], "1.1.0": ["held"]])
            try store.setHold(false, shop)
            #expect(await Self.states(gauge) == ["1.0.0": ["confirmed"]])
        }
    }

    @Test("a withdrawn one is revoked or outdated")
    func withdrawn() async throws {
        try await withStore { store in
            for version in ["1.0.0", "1.1.0"] { try store.installTrial(version, health: "") }
            let (old, new) = (BundleVersion("1.0.0"), BundleVersion("1.1.0"))
            try store.setWithdrawals(
                [
                    Withdrawal(of: old, .critical, successor: new, since: store.now()),
                    Withdrawal(of: new, .revoked, since: store.now()),
                ],
                of: shop
            )
            let states = await Self.states(StoreGauge(store))
            #expect(states == ["1.0.0": ["confirmed", "outdated"], "1.1.0": ["confirmed", "revoked"]])
        }
    }

    @Test("each state is a sample, and a bundle has at most 16 releases, those with something unusual first")
    func bounds() async throws {
        try await withStore { store in
            for number in 0..<20 { try store.installTrial("1.\(number).0", health: "") }
            let bad = BundleVersion("1.2.0")
            try store.markBad(shop, bad, reason: "slow")
            let lines = await Self.lines(StoreGauge(store))
            #expect(lines.count == 16 * ReleaseStates.State.allCases.count)
            #expect(lines.first { $0.hasSuffix(" 1") }?.contains(#"version="1.2.0",state="bad""#) == true)
            #expect(lines.contains(#"bundlectl_release_state{bundle="shop",version="1.19.0",state="confirmed"} 1"#))
            #expect(lines.contains(#"bundlectl_release_state{bundle="shop",version="1.19.0",state="revoked"} 0"#))
        }
    }

    /// The states that hold, by version.
    private static func states(_ gauge: StoreGauge) async -> [String: Set<String>] {
        var states: [String: Set<String>] = [:]
        for line in await lines(gauge) {
            let parts = line.split(separator: "\"").map(String.init)
            guard parts.count == 7 else { continue }
            states[parts[3], default: []].formUnion(parts[6].hasSuffix(" 1") ? [parts[5]] : [])
        }
        return states
    }

    private static func lines(_ gauge: StoreGauge) async -> [String] {
        var page = MetricPage()
        await gauge.write(to: &page)
        return PrometheusText(page).text.split(separator: "\n").filter { $0.hasPrefix("bundlectl_release_state{") }.map(
            String.init
        )
    }
}

extension BundleStore {
    /// Installs a version of the shop that has to be confirmed.
    func installTrial(
        _ version: String,
        activating: Bool = true,
        health: String = #", "health": {"within": "30s", "starts": 1}"#
    ) throws {
        let manifest = #"{"name": "shop", "version": "\#(version)", "origins": []\#(health)}"#
        try install(manifest, ["index.html": Array(version.utf8)], activating: activating)
    }
}
