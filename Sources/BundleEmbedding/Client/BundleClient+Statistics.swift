import BundleNetwork
import BundleStore
import Foundation

/// What the bundles were used for.
extension BundleClient {
    /// The store's statistics, with what this client has counted up to now; see ``/BundleNetwork/UsageReport``.
    ///
    /// - Parameters:
    ///   - bundle: One bundle; nil for all.
    ///   - start: Since when; nil for all that is kept.
    ///   - listCount: The most entries of each list. Default: 10.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be read, and after
    ///   ``close()``.
    public func statistics(
        of bundle: BundleName? = nil,
        since start: Date? = nil,
        listCount: Int = 10
    ) async throws -> UsageReport {
        try await lifetime.run { [self] in
            await responder.flushStatistics()
            return try UsageReport(of: store, bundle: bundle, since: start, listCount: listCount)
        }
    }

    /// What this client has sent to origins and received from them since it was made, by host; updates are counted too. At
    /// most 1,024 hosts; those after them are counted together.
    public var traffic: [HostTraffic] { trafficLedger.traffic }

    /// The URLs whose stored responses this client has used most since it was made, the most frequent first, with how often;
    /// at most 256. Counts are lower bounds when there are more URLs.
    public var reuses: [(url: String, count: Int64)] { reuseLedger.counts }
}
