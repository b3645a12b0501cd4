import BundleNetwork
import BundleStore
import Synchronization

/// How many URLs that manifests name as `precache` are stored, as of the last round. Thread-safe.
final class PrecacheStatistics: Sendable {
    private let counts = Mutex<[(name: String, stored: Int, missing: Int)]>([])

    /// Takes the reports of a round.
    func note(_ reports: [PrecacheReport]) {
        let new = reports.map { ($0.name.string, $0.storedCount, $0.items.count - $0.storedCount) }
        counts.withLock { $0 = new }
    }

    /// Writes a gauge for each bundle that names URLs.
    func write(to text: inout PrometheusText) {
        let counts = counts.withLock { $0 }
        guard !counts.isEmpty else { return }
        text.gauge("bundlectl_precache_urls", "URLs that manifests name as precache, as of the last round.")
        for (name, stored, missing) in counts {
            text.sample([("bundle", name), ("state", "stored")], stored)
            text.sample([("bundle", name), ("state", "missing")], missing)
        }
    }
}
