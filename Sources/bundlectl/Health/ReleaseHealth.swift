import BundlePublishing
import BundleStore

/// How a metrics server is asked what has become of a release: the only place that has these queries. The metrics are those of Metrics.md. A
/// value type.
struct ReleaseHealth: Equatable {
    /// How many installations have or had the release active.
    var active: String
    /// How many of them have found that it doesn't work, or have left it by themselves.
    var bad: String

    /// The queries for a release. An installation that tells nothing any more, perhaps because of the release, counts for a day. An operator's
    /// rollback says nothing about the release. Where no installation tells whether it works, there is no value, and not 0.
    init(of release: ReleaseName) {
        let labels = #"bundle="\#(release.name)",version="\#(release.version)""#
        func latest(_ metric: String, _ further: String = "") -> String {
            "last_over_time(\(metric){\(labels)\(further)}[1d])"
        }
        let reports = latest("bundlectl_release_bad_reports_total")
        let rollbacks = latest("bundlectl_rollbacks_total", #",cause!="requested""#)
        active = "count(\(latest("bundlectl_release_activations_total")) > 0)"
        bad = "count(\(reports) > 0 or max without (cause) (\(rollbacks) > 0)) or 0 * count(\(reports))"
    }

    /// What the server knows; a failure is evidence of nothing.
    ///
    /// - Throws: `CancellationError`.
    func evidence(from server: PrometheusAPI) async throws -> RolloutGate.Evidence {
        do {
            guard let active = try await server.value(of: active) else { return .none }
            guard let bad = try await server.value(of: bad) else {
                return .failed("nothing tells on how many of the installations the release is bad")
            }
            return .counted(active: active, bad: bad)
        } catch let error as BundleError {
            return .failed(Advice.line(error))
        }
    }
}
