import Foundation
import GRDB

/// The table `publisher`: the publishers whose state browsers keep on the bundles' hosts.
struct PublisherTable {
    let connection: CatalogConnection

    /// How many names of removed bundles are remembered. When one more is removed, the least recently activated one is
    /// forgotten, and from then on every unknown name is treated as if it had another publisher before.
    static let maximumRemovedCount = 256

    /// The row that records that names have been forgotten. It belongs to no bundle.
    private static let forgotten = ""

    /// The records that are intact.
    static func records(in database: Database) throws -> [BundleName: PublisherRecord] {
        let rows = try Row.fetchAll(database, sql: "SELECT \(DigestedTable.publisher.selection) FROM publisher")
        let records = rows.compactMap(PublisherRecord.init)
        return Dictionary(records.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Records the publisher of a bundle's pages from now on. If another publisher had the name before, the mark changes.
    ///
    /// - Parameter release: The release that becomes active. One whose manifest can't be read has no pages.
    static func note(of name: BundleName, by release: Int64, in database: Database) throws {
        guard let publisher = try publisher(of: release, in: database) else { return }
        let row = try Row.fetchOne(
            database,
            sql: "SELECT \(DigestedTable.publisher.selection) FROM publisher WHERE name = ?",
            arguments: [name.string]
        )
        let isFirst = try row == nil && !hasForgotten(in: database)
        let known = row.flatMap(PublisherRecord.init)
        let isSame = known?.publisher.isSame(as: publisher) ?? isFirst
        try write(publisher, of: name.string, mark: isSame ? known?.mark : newMark, in: database)
    }

    /// Forgets the names of removed bundles, except the latest.
    static func forgetRemoved(in database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM publisher WHERE name IN (
                    SELECT name FROM publisher WHERE name <> ? AND name NOT IN (SELECT bundle FROM release)
                    ORDER BY number DESC LIMIT -1 OFFSET ?
                )
                """,
            arguments: [forgotten, maximumRemovedCount]
        )
        if database.changesCount > 0 { try noteForgotten(in: database) }
    }

    /// Whether the record of a name is damaged or missing.
    func areDamaged() throws -> Bool { try !connection.read(Self.damagedPublishers).isEmpty }

    /// Rewrites damaged records as if their bundles had a new publisher, and drops the rows that belong to no bundle.
    /// Writes only if there are such rows.
    func repair() throws -> [RepairReport.Repaired] {
        guard try areDamaged() else { return [] }
        return try connection.change { database in
            try Self.damagedPublishers(in: database).map { key in
                try database.execute(sql: "DELETE FROM publisher WHERE name = ?", arguments: [key])
                let name = String.fromDatabaseValue(key).flatMap(BundleName.init)
                guard let name, let publisher = try Self.activePublisher(of: name, in: database) else {
                    try Self.noteForgotten(in: database)
                    return RepairReport.Repaired(dropped: "the catalog's row of a bundle's publisher", name, nil)
                }
                try Self.write(publisher, of: name.string, mark: Self.newMark, in: database)
                return RepairReport.Repaired(
                    action: .repaired,
                    name: name,
                    version: nil,
                    path: nil,
                    item: "the row of its publisher; browsers will clear what they keep for it",
                    source: "its manifest"
                )
            }
        }
    }

    /// The names as stored in their rows.
    private static func damagedPublishers(in database: Database) throws -> [DatabaseValue] {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT \(DigestedTable.publisher.selection) FROM publisher WHERE name <> ?",
            arguments: [forgotten]
        )
        let damaged = rows.filter { PublisherRecord($0) == nil }.compactMap { $0.value("name", as: DatabaseValue.self) }
        let missing = try DatabaseValue.fetchAll(
            database,
            sql: """
                SELECT name FROM bundle WHERE active IN (SELECT id FROM release WHERE release.bundle = bundle.name)
                AND name NOT IN (SELECT name FROM publisher)
                """
        )
        return damaged + missing
    }

    private static func activePublisher(of name: BundleName, in database: Database) throws -> BundlePublisher? {
        try InstalledRows(in: database).bundles[name]?.active.flatMap { try publisher(of: $0, in: database) }
    }

    static func publisher(of release: Int64, in database: Database) throws -> BundlePublisher? {
        let manifest = try DatabaseValue.fetchOne(
            database,
            sql: "SELECT manifest FROM release WHERE id = ?",
            arguments: [release]
        )
        return manifest.flatMap(Data.fromDatabaseValue)
            .flatMap { try? BundleManifest.parse(stored: Array($0)) }
            .map(BundlePublisher.init(of:))
    }

    /// - Parameter name: A bundle's name, or ``forgotten``.
    static func write(
        _ publisher: BundlePublisher,
        of name: String,
        mark: String?,
        in database: Database
    ) throws {
        try database.execute(
            sql: """
                INSERT INTO publisher (name, authorities, mark, number)
                VALUES (?, ?, ?, (SELECT coalesce(max(number), 0) + 1 FROM publisher))
                ON CONFLICT (name) DO UPDATE
                SET authorities = excluded.authorities, mark = excluded.mark, number = excluded.number
                """,
            arguments: [name, publisher.authorities.sorted().joined(separator: "\n"), mark]
        )
        try DigestedTable.publisher.sign(name, in: database)
    }

    private static func hasForgotten(in database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: "SELECT EXISTS (SELECT 1 FROM publisher WHERE name = ?)",
            arguments: [forgotten]
        ) ?? false
    }

    private static func noteForgotten(in database: Database) throws {
        try write(BundlePublisher(authorities: []), of: forgotten, mark: nil, in: database)
    }

    /// 128 random bits: no page can set the mark of a later publisher for itself.
    private static var newMark: String { FileIdentifier.random().name }
}

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
