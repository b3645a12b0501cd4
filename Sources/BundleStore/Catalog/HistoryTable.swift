import Foundation
import GRDB

/// The journal of what happens to bundles. It decides nothing, so its rows have no digests.
struct HistoryTable {
    let connection: CatalogConnection

    /// How many failures of one bundle are kept, whose reasons may differ each time; how many events of it; and of all bundles.
    static let maximumEventCount = (ofFailures: 50, ofBundle: 200, inAll: 2_000)

    /// The events that are kept, the oldest first; those that can't be read are left out.
    ///
    /// - Parameters:
    ///   - name: Their bundle; nil for all.
    ///   - number: Only later ones.
    func events(of name: BundleName?, after number: Int64 = 0) throws -> [UpdateEvent] {
        try connection.read { try Self.events(of: name, after: number, in: $0) }
    }

    static func events(of name: BundleName?, after number: Int64, in database: Database) throws -> [UpdateEvent] {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT * FROM updateEvent WHERE number > ? AND (bundle = ? OR ? IS NULL) ORDER BY number",
            arguments: [number, name?.string, name?.string]
        )
        return rows.compactMap(UpdateEvent.init)
    }

    /// The latest events, the latest first.
    func latestEvents(_ count: Int) throws -> [UpdateEvent] {
        try connection.read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT * FROM updateEvent ORDER BY number DESC LIMIT ?",
                arguments: [count]
            )
            .compactMap(UpdateEvent.init)
        }
    }

    /// Records an event, unless it repeats the last one; see ``UpdateEvent/Kind/alternatives``.
    func record(_ event: UpdateEvent) throws {
        // Most checks find nothing new, and mustn't cost a write.
        guard try connection.read({ try !Self.isRepeated(event, in: $0) }) else { return }
        try connection.write { try Self.record(event, in: $0) }
    }

    static func record(_ event: UpdateEvent, in database: Database) throws {
        guard try !isRepeated(event, in: database) else { return }
        try database.execute(
            sql: """
                INSERT INTO updateEvent
                (bundle, kind, date, version, previous, detail, plan, predictedByteCount, receivedByteCount)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                event.bundle.string, event.kind.rawValue, event.date.timeIntervalSince1970, event.version?.string,
                event.previous?.string, event.detail, event.plan, event.predictedByteCount, event.receivedByteCount,
            ]
        )
        try FiguresTables.count(event, number: database.lastInsertedRowID, in: database)
        try dropOldEvents(of: event.bundle, in: database)
        try FiguresTables.dropForgotten(of: event.bundle, in: database)
    }

    /// Records an event, unless there are `count` of its kind and version.
    func record(_ event: UpdateEvent, atMost count: Int) throws {
        func isFull(_ database: Database) throws -> Bool {
            let sql = "SELECT count(*) FROM updateEvent WHERE bundle = ? AND kind = ? AND version IS ?"
            let arguments: StatementArguments = [event.bundle.string, event.kind.rawValue, event.version?.string]
            return try Int.fetchOne(database, sql: sql, arguments: arguments) ?? 0 >= count
        }
        guard try !connection.read(isFull) else { return }
        try connection.write { database in
            if try !isFull(database) { try Self.record(event, in: database) }
        }
    }

    /// The last event of a kind.
    ///
    /// - Parameter version: Its version; nil for any.
    func lastEvent(
        _ kind: UpdateEvent.Kind,
        of name: BundleName,
        _ version: BundleVersion? = nil
    ) throws -> UpdateEvent? {
        try connection.read { try Self.lastEvent(kind, of: name, version, in: $0) }
    }

    private static func lastEvent(
        _ kind: UpdateEvent.Kind,
        of name: BundleName,
        _ version: BundleVersion? = nil,
        in database: Database
    ) throws -> UpdateEvent? {
        try Row.fetchOne(
            database,
            sql: """
                SELECT * FROM updateEvent WHERE bundle = ? AND kind = ? AND (version = ? OR ? IS NULL)
                ORDER BY number DESC LIMIT 1
                """,
            arguments: [name.string, kind.rawValue, version?.string, version?.string]
        ).flatMap(UpdateEvent.init)
    }

    /// The versions whose last verdict is that they are bad, by bundle.
    func badVersions() throws -> [BundleName: Set<String>] {
        let rows = try connection.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT DISTINCT bundle, version FROM updateEvent AS verdict
                    WHERE kind = ? AND version IS NOT NULL AND NOT EXISTS (
                        SELECT 1 FROM updateEvent AS later
                        WHERE later.bundle = verdict.bundle AND later.version = verdict.version
                        AND later.number > verdict.number AND later.kind IN (?, ?, ?)
                    )
                    """,
                arguments: [
                    UpdateEvent.Kind.markedBad.rawValue, UpdateEvent.Kind.activated.rawValue,
                    UpdateEvent.Kind.rolledBack.rawValue, UpdateEvent.Kind.confirmed.rawValue,
                ]
            )
        }
        var versions: [BundleName: Set<String>] = [:]
        for row in rows {
            guard let name = row.text("bundle").flatMap({ BundleName($0) }), let version = row.text("version") else {
                continue
            }
            versions[name, default: []].insert(version)
        }
        return versions
    }

    /// The number of the last event; 0 when none is kept.
    func lastNumber() throws -> Int64 { try connection.read(Self.lastNumber) }

    /// The number of the last event; 0 when none is kept.
    static func lastNumber(in database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT max(number) FROM updateEvent") ?? 0
    }

    private static func isRepeated(_ event: UpdateEvent, in database: Database) throws -> Bool {
        guard let kinds = event.kind.alternatives else { return false }
        let events = try kinds.compactMap { try lastEvent($0, of: event.bundle, in: database) }
        return events.max { $0.number < $1.number }.map(event.repeats) ?? false
    }

    private static func dropOldEvents(of name: BundleName, in database: Database) throws {
        let failed = UpdateEvent.Kind.failed.rawValue
        try database.execute(
            sql: """
                DELETE FROM updateEvent WHERE bundle = ? AND kind = ? AND number <= (
                    SELECT number FROM updateEvent WHERE bundle = ? AND kind = ? ORDER BY number DESC LIMIT 1 OFFSET ?
                )
                """,
            arguments: [name.string, failed, name.string, failed, maximumEventCount.ofFailures]
        )
        try database.execute(
            sql: """
                DELETE FROM updateEvent WHERE bundle = ? AND number <= (
                    SELECT number FROM updateEvent WHERE bundle = ? ORDER BY number DESC LIMIT 1 OFFSET ?
                )
                """,
            arguments: [name.string, name.string, maximumEventCount.ofBundle]
        )
        try database.execute(
            sql: """
                DELETE FROM updateEvent WHERE number <= (
                    SELECT number FROM updateEvent ORDER BY number DESC LIMIT 1 OFFSET ?
                )
                """,
            arguments: [maximumEventCount.inAll]
        )
    }
}
