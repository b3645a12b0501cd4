import Foundation
import GRDB

/// The tables `updateTally` and `feedContact`: counts that outlive the journal, and what was heard of feeds. They decide nothing, so
/// their rows have no digests, and one that can't be read counts as none.
struct FiguresTables {
    let connection: CatalogConnection

    /// What is known of each bundle.
    ///
    /// - Parameter now: A time that is later than this by more than the tolerance counts as unknown.
    func figures(now: Date) throws -> [BundleName: UpdateFigures] {
        try connection.read { database in
            var figures: [BundleName: UpdateFigures] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT * FROM updateTally") {
                guard let name = row.text("bundle").flatMap({ BundleName($0) }) else { continue }
                figures[name, default: UpdateFigures()].take(row)
            }
            for row in try Row.fetchAll(database, sql: "SELECT * FROM feedContact") {
                guard let name = row.text("bundle").flatMap({ BundleName($0) }) else { continue }
                figures[name, default: UpdateFigures()].succeededAt = row.date("succeededAt").flatMap {
                    $0.timeIntervalSince(now) <= UpdateStateTables.clockTolerance ? $0 : nil
                }
                figures[name]?.offered = row.text("offered").map { text in
                    text.split(separator: " ").compactMap { BundleVersion(String($0)) }
                }
            }
            return figures
        }
    }

    /// Records which versions a feed offers, unless these are recorded.
    func recordOffer(_ versions: [BundleVersion], of name: BundleName) throws {
        let text = versions.prefix(UpdateFigures.maximumOfferCount).map(\.string).joined(separator: " ")
        func isRecorded(_ database: Database) throws -> Bool {
            let sql = "SELECT offered FROM feedContact WHERE bundle = ?"
            return try Row.fetchOne(database, sql: sql, arguments: [name.string])?.text("offered") == text
        }
        guard try !connection.read(isRecorded) else { return }
        try connection.write { database in
            guard try Self.isInstalled(name, in: database) else { return }
            try database.execute(
                sql: """
                    INSERT INTO feedContact (bundle, offered) VALUES (?, ?)
                    ON CONFLICT (bundle) DO UPDATE SET offered = excluded.offered
                    """,
                arguments: [name.string, text]
            )
        }
    }

    /// Counts what has come of a check or an update.
    ///
    /// - Parameter failure: Why it has failed; nil for one that has succeeded.
    static func count(
        _ failure: UpdateFailureReason?,
        of name: BundleName,
        at date: Date,
        in database: Database
    ) throws {
        guard try isInstalled(name, in: database) else { return }
        if let failure { return try add(Word.failed(failure), of: name, nil, at: date, in: database) }
        try database.execute(
            sql: """
                INSERT INTO feedContact (bundle, succeededAt) VALUES (?, ?)
                ON CONFLICT (bundle) DO UPDATE SET succeededAt = excluded.succeededAt
                """,
            arguments: [name.string, date.timeIntervalSince1970]
        )
    }

    private static func isInstalled(_ name: BundleName, in database: Database) throws -> Bool {
        try Row.fetchOne(database, sql: "SELECT 1 FROM release WHERE bundle = ?", arguments: [name.string]) != nil
    }

    /// Counts an event that was recorded as the number.
    static func count(_ event: UpdateEvent, number: Int64, in database: Database) throws {
        guard let kind = try ReleaseWord(event, number: number, in: database) else { return }
        let version = event.kind == .rolledBack ? event.previous : event.version
        guard let version else { return }
        try add(kind.word, of: event.bundle, version, at: event.date, in: database)
    }

    private static func add(
        _ word: String,
        of name: BundleName,
        _ version: BundleVersion?,
        at date: Date,
        in database: Database
    ) throws {
        try database.execute(
            sql: """
                INSERT INTO updateTally (bundle, version, kind, count, since) VALUES (?, ?, ?, 1, ?)
                ON CONFLICT (bundle, version, kind) DO UPDATE SET count = count + 1
                """,
            arguments: [name.string, version?.string ?? "", word, date.timeIntervalSince1970]
        )
    }

    /// Drops the counts of versions that neither the store nor its journal has.
    static func dropForgotten(of name: BundleName, in database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM updateTally WHERE bundle = ?1 AND version != '' AND version NOT IN (
                    SELECT version FROM updateEvent WHERE bundle = ?1 AND version IS NOT NULL
                    UNION SELECT previous FROM updateEvent WHERE bundle = ?1 AND previous IS NOT NULL
                    UNION SELECT version FROM release WHERE bundle = ?1
                )
                """,
            arguments: [name.string]
        )
    }

    /// Counts what the journal has of the time before there were counts.
    static func enterJournal(in database: Database) throws {
        for event in try HistoryTable.events(of: nil, after: 0, in: database) {
            try count(event, number: event.number, in: database)
        }
    }
}

/// What `updateTally` calls what it counts.
private enum Word {
    static func failed(_ reason: UpdateFailureReason) -> String { "failed.\(reason.rawValue)" }

    static func failure(_ word: String) -> UpdateFailureReason? {
        word.hasPrefix("failed.") ? UpdateFailureReason(rawValue: String(word.dropFirst("failed.".count))) : nil
    }
}

/// The same for what happens to a release.
private struct ReleaseWord {
    let event: UpdateFigures.ReleaseEvent

    private static let plain: [(UpdateFigures.ReleaseEvent, UpdateEvent.Kind)] = [
        (.activated, .activated), (.confirmed, .confirmed), (.markedBad, .markedBad),
    ]
    private static let rollback = "\(UpdateEvent.Kind.rolledBack.rawValue)."

    /// Nil for an event that isn't counted.
    init?(_ event: UpdateEvent, number: Int64, in database: Database) throws {
        guard event.kind == .rolledBack else {
            guard let kind = Self.plain.first(where: { $0.1 == event.kind })?.0 else { return nil }
            self.event = kind
            return
        }
        // A verdict and the rollback that it leads to are recorded in one transaction.
        let before = try Row.fetchOne(
            database,
            sql: "SELECT * FROM updateEvent WHERE number = ?",
            arguments: [number - 1]
        ).flatMap(UpdateEvent.init)
        self.event = .rolledBack(RollbackCause(before.flatMap { $0.leads(to: event) ? $0 : nil }))
    }

    /// Nil for a word that isn't known.
    init?(_ word: String) {
        if word.hasPrefix(Self.rollback) {
            guard let cause = RollbackCause(rawValue: String(word.dropFirst(Self.rollback.count))) else { return nil }
            event = .rolledBack(cause)
        } else {
            guard let kind = Self.plain.first(where: { $0.1.rawValue == word })?.0 else { return nil }
            event = kind
        }
    }

    var word: String {
        if case .rolledBack(let cause) = event { return Self.rollback + cause.rawValue }
        return Self.plain.first { $0.0 == event }?.1.rawValue ?? ""
    }
}

extension UpdateEvent {
    fileprivate func leads(to rollback: UpdateEvent) -> Bool {
        kind == .markedBad && bundle == rollback.bundle && version?.string == rollback.previous?.string
    }
}

extension UpdateFigures {
    fileprivate mutating func take(_ row: Row) {
        guard let word = row.text("kind"), let version = row.text("version"), let since = row.date("since"),
            let value = row.integer("count", in: 1...Int64.max)
        else { return }
        let count = Count(value: value, since: since)
        if let reason = Word.failure(word) {
            failures[reason] = count
        } else if let event = ReleaseWord(word)?.event, BundleVersion(version) != nil {
            releases[version, default: [:]][event] = count
        }
    }
}
