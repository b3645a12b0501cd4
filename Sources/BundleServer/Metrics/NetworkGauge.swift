import BundleNetwork
import BundleStore
import Foundation
import Synchronization

/// The metrics of the network: the link, the origins, and what was fetched ahead.
struct NetworkGauge: Sendable {
    /// Each origin is a label, and manifests may name many; those without a recent failure are left out first.
    static let maximumOriginCount = 64

    let layers: LayeredResponder
    let link: NetworkLink
    let precaching: PrecacheStatistics

    /// The origins that were asked lately, as far as they are shown.
    var origins: [OriginState] { Self.shown(layers.originStates) }

    /// Writes everything.
    func write(to page: inout MetricPage) {
        page.gauge("bundlectl_network_metered", "1 while the link is metered, else 0.")
        page.sample([], link.isMetered ? 1 : 0)
        Self.write(layers.originStates, to: &page)
        precaching.write(to: &page)
    }

    static func write(_ states: [OriginState], to page: inout MetricPage) {
        let shown = shown(states)
        page.gauge("bundlectl_origin_out", "1 while an origin doesn't respond, 0.5 while it is asked again, else 0.")
        for state in shown { page.sample([("origin", state.origin)], state.circuit.value) }
        page.counter("bundlectl_origin_responses_total", "Responses of an origin.")
        for state in shown { page.sample([("origin", state.origin)], state.responseCount) }
        page.counter("bundlectl_origin_failures_total", "Requests to an origin without a response.")
        for state in shown { page.sample([("origin", state.origin)], state.failureCount) }
        page.gauge("bundlectl_origins", "Origins that were asked lately, those without metrics of their own included.")
        page.sample([], states.count)
    }

    /// Those that are out or have failed last, in the order of their names.
    private static func shown(_ states: [OriginState]) -> [OriginState] {
        guard states.count > maximumOriginCount else { return states }
        let byUrgency = states.sorted {
            ($0.circuit == .closed ? 1 : 0, -($0.failedAt ?? .distantPast).timeIntervalSince1970, $0.origin)
                < ($1.circuit == .closed ? 1 : 0, -($1.failedAt ?? .distantPast).timeIntervalSince1970, $1.origin)
        }
        return byUrgency.prefix(maximumOriginCount).sorted { $0.origin < $1.origin }
    }
}

extension OriginState.Circuit {
    fileprivate var value: Double {
        switch self {
        case .closed: 0
        case .halfOpen: 0.5
        case .open: 1
        }
    }
}

/// How many URLs that manifests name as `precache` are stored, as of the last round. Thread-safe.
final class PrecacheStatistics: Sendable {
    private let counts = Mutex<[(name: String, stored: Int, missing: Int)]>([])

    /// Takes the reports of a round.
    func note(_ reports: [PrecacheReport]) {
        let new = reports.map { ($0.name.string, $0.storedCount, $0.items.count - $0.storedCount) }
        counts.withLock { $0 = new }
    }

    /// Writes a gauge for each bundle that names URLs.
    func write(to page: inout MetricPage) {
        let counts = counts.withLock { $0 }
        guard !counts.isEmpty else { return }
        page.gauge("bundlectl_precache_urls", "URLs that manifests name as precache, as of the last round.")
        for (name, stored, missing) in counts {
            page.sample([("bundle", name), ("state", "stored")], stored)
            page.sample([("bundle", name), ("state", "missing")], missing)
        }
    }
}
