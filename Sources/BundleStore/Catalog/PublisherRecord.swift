import GRDB

/// What the catalog says of a bundle's name: whose state browsers keep on its host, also once the bundle has been removed.
struct PublisherRecord: Sendable {
    let name: BundleName
    /// That of the release that was activated last.
    let publisher: BundlePublisher
    /// What browsers are given that keep nothing of an earlier publisher; nil while there has been none.
    let mark: String?

    /// Nil for a row that isn't what was written, or is no bundle's.
    init?(_ row: Row) {
        guard DigestedTable.publisher.isIntact(row), let name = row.text("name").flatMap(BundleName.init),
            let authorities = row.text("authorities")
        else { return nil }
        self.name = name
        publisher = BundlePublisher(authorities: Set(authorities.split(separator: "\n").map(String.init)))
        mark = row.text("mark")
    }
}
