import Foundation

extension BundleStore {
    /// Adds to the statistics in one transaction. What other processes add is added too, and not replaced.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written; nothing is
    ///   added then.
    package func addStatistics(
        _ addition: StatisticsAddition,
        at date: Date,
        within limits: StatisticsLimits = StatisticsLimits()
    ) throws {
        try StoreAccess.run(at: path) { try catalog.statistics.add(addition, at: date, within: limits) }
    }

    /// The statistics of a bundle, or of all bundles.
    ///
    /// - Parameters:
    ///   - start: Since when: from the beginning of the hour or, for what is kept by the day, of the day (UTC) that it is
    ///     in; nil for all that is kept.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read.
    package func statistics(of bundle: BundleName?, since start: Date?) throws -> StatisticsAddition {
        try StoreAccess.run(at: path) { try catalog.statistics.sum(of: bundle, since: start) }
    }
}
