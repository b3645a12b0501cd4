import BundlePublishing
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import bundlectl

@Suite("What has become of a release")
struct ReleaseHealthTests {
    private static let health = ReleaseHealth(of: ReleaseName(BundleName("shop"), "1.2.0+b1"))

    /// A response to each of the two queries; nil for none.
    private func evidence(_ active: String?, _ bad: String?) async throws -> RolloutGate.Evidence {
        let network = ScriptedTransport()
        for (query, value) in [(Self.health.active, active), (Self.health.bad, bad)] {
            let url = "http://m:9090/api/v1/query?query=\(PercentEncoding.encode(component: query))"
            guard let value else { continue }
            let elements = value.isEmpty ? "" : #"{"metric": {}, "value": [1, "\#(value)"]}"#
            network.response(
                url,
                .ok,
                [:],
                #"{"status": "success", "data": {"resultType": "vector", "result": [\#(elements)]}}"#
            )
        }
        let server = PrometheusAPI(url: "http://m:9090", transport: network, clock: TestClock())
        return try await Self.health.evidence(from: server)
    }

    @Test("two numbers are evidence; a release of which nothing is told has none, and half of it is a failure")
    func evidence() async throws {
        #expect(try await evidence("57", "3") == .counted(active: 57, bad: 3))
        #expect(try await evidence("", "0") == .none)
        for (active, bad) in [("57", ""), ("57", nil), (nil, "3"), ("NaN", "3"), ("57", "-1")] as [(String?, String?)] {
            guard case .failed = try await evidence(active, bad) else {
                Issue.record("\(active ?? "no response"), \(bad ?? "no response")")
                continue
            }
        }
    }

    @Test("the page Rollouts has the queries")
    func page() throws {
        let page = try Project.text("Sources/bundlectl/bundlectl.docc/Rollouts.md").filter { !$0.isWhitespace }
        let health = ReleaseHealth(of: ReleaseName(BundleName("shop"), "1.2.0"))
        for query in [health.active, health.bad] {
            #expect(page.contains("```" + query.filter { !$0.isWhitespace } + "```"))
        }
    }

    @Test("the queries name the release exactly")
    func queries() {
        #expect(
            Self.health.active
                == #"count(last_over_time(bundlectl_release_activations_total{bundle="shop",version="1.2.0+b1"}[1d]) > 0)"#
        )
        #expect(
            Self.health.bad.contains(
                #"bundlectl_rollbacks_total{bundle="shop",version="1.2.0+b1",cause!="requested"}[1d]"#
            )
        )
    }
}
