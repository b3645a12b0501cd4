import BundleNetwork
import BundleStore
import BundleTesting
import Testing

@testable import BundleServer

@Suite("What an installation is known by in the metrics")
struct FleetIdentityTests {
    @Test("a label has a name by Prometheus' grammar that the metrics don't use, and a value within bounds")
    func labels() {
        for name in ["site", "_a", "A9", String(repeating: "a", count: 64)] {
            #expect(FleetLabel(name: name, value: "42")?.name == name)
        }
        for name in ["", "9a", "a-b", "a.b", "ä", "__name__", "bundle", "instance", String(repeating: "a", count: 65)] {
            #expect(FleetLabel(name: name, value: "42") == nil, "\(name)")
        }
        for value in ["4 2", "Zürich", #"a"b\c"#, String(repeating: "a", count: 256)] {
            #expect(FleetLabel(name: "site", value: value)?.value == value)
        }
        for value in ["", "a\nb", "a\u{0}", "\u{85}", String(repeating: "ä", count: 129)] {
            #expect(FleetLabel(name: "site", value: value) == nil, "\(value)")
        }
    }

    @Test("every label that the metrics use is reserved")
    func reserved() async throws {
        try await withStore { store in
            try store.installShop(feed: "https://m.example.com/feed.json")
            try store.recordCheck(of: BundleName("shop"), failure: nil)
            let page = await MetricSources(store, FleetIdentity(installation: "kiosk-7")).page()
            let names = page.families.flatMap { family in
                family.samples.flatMap { $0.labels.map(\.name) } + family.histograms.flatMap { $0.labels.map(\.name) }
            }
            #expect(Set(names).isSubset(of: FleetLabel.reserved) && names.contains("reason"))
        }
    }

    @Test("the number stays, isn't the store's own, and one gauge has it with the labels")
    func number() async throws {
        try await withStore { store in
            let number = try #require(FleetIdentity.number(of: store))
            #expect(FleetIdentity.number(of: store) == number)
            #expect(try store.installationIdentifier().string != number)
            let site = try #require(FleetLabel(name: "site", value: "42"))
            for (identity, expected) in [
                (FleetIdentity(), ""), (FleetIdentity(labels: [site]), #"{site="42"} 1"#),
                (FleetIdentity(installation: "a", labels: [site]), #"{installation="a",site="42"} 1"#),
            ] {
                var page = MetricPage()
                identity.write(to: &page)
                let line = PrometheusText(page).text.split(separator: "\n").last ?? ""
                #expect(line == (expected.isEmpty ? "" : "bundlectl_installation_info" + expected))
            }
        }
    }
}

extension MetricSources {
    /// Those of an endpoint that serves nothing.
    init(_ store: BundleStore, _ identity: FleetIdentity = FleetIdentity()) {
        self.init(
            requests: EndpointMetrics(),
            store: StoreGauge(store),
            scrubs: ScrubStatistics(),
            process: ProcessMetrics(startTime: TestClock().date),
            network: NetworkGauge(
                layers: LayeredResponder(store, transport: nil),
                link: NetworkLink(),
                precaching: PrecacheStatistics()
            ),
            log: nil,
            identity: identity
        )
    }
}
