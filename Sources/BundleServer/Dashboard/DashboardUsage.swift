import BundleNetwork
import BundleServing
import BundleUsage

/// What the bundles were used for in the last day.
struct DashboardUsage: Encodable {
    struct Layer: Encodable {
        let layer: String
        let count: Int64
    }

    /// Bytes of bodies.
    struct Bytes: Encodable {
        /// Sent from releases, from the cache, and from the network.
        let bundle, cache, network: Int64
        /// Not sent because of codings and deltas.
        let savedByCodings, savedByDeltas: Int64
    }

    struct Miss: Encodable {
        let name: String
        let path: String
        let count: Int64
    }

    /// In the order in which layers are asked.
    let requests: [Layer]
    /// From 0 to 1; nil without requests for bundles.
    let hitRate: Double?
    let bytes: Bytes
    let clientErrors, serverErrors: Int64
    let missCount: Int64
    let misses: [Miss]

    init(_ report: UsageReport) {
        requests = ResponseSource.Layer.allCases.map { Layer(layer: $0.rawValue, count: report.requests[$0] ?? 0) }
        hitRate = report.hitRate.map { ($0 * 10_000).rounded() / 10_000 }
        bytes = Bytes(
            bundle: report.bytes.bundle,
            cache: report.bytes.cache,
            network: report.bytes.network,
            savedByCodings: report.savedByCodings,
            savedByDeltas: report.savedByDeltas
        )
        (clientErrors, serverErrors) = (report.clientErrors, report.serverErrors)
        missCount = report.missCount
        misses = report.misses.map { Miss(name: $0.name, path: $0.path, count: $0.count) }
    }
}
