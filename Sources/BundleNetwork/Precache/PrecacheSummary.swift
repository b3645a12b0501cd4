import BundleStore

/// What was fetched ahead for a bundle, as JSON documents have it. A value type; safe to share between threads.
package struct PrecacheSummary: Encodable, Sendable {
    /// The bundle.
    package let name: BundleName
    /// The number of URLs that its manifest names, of those that are stored, and of those that were fetched.
    package let urlCount: Int, storedCount: Int, fetchedCount: Int
    /// Why the first of those that aren't stored isn't.
    package let failure: String?

    /// Summarises a report.
    package init(_ report: PrecacheReport) {
        name = report.name
        urlCount = report.items.count
        (storedCount, fetchedCount) = (report.storedCount, report.fetchedCount)
        failure = report.missing.lazy.compactMap(\.failure).first
    }
}
