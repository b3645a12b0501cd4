import GRDB

/// The publisher whose state browsers keep on the host of a bundle's name, recorded even after the bundle has been
/// removed.
struct PublisherRecord: Sendable {
    let name: BundleName
    /// The publisher of the release that was activated last.
    let publisher: BundlePublisher
    /// The mark for browsers that keep no state of an earlier publisher; nil while there has been no earlier publisher.
    let mark: String?

    /// Nil for a row that isn't intact or belongs to no bundle.
    init?(_ row: Row) {
        guard DigestedTable.publisher.isIntact(row), let name = row.text("name").flatMap(BundleName.init),
            let authorities = row.text("authorities")
        else { return nil }
        self.name = name
        publisher = BundlePublisher(authorities: Set(authorities.split(separator: "\n").map(String.init)))
        mark = row.text("mark")
    }
}
