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
}
