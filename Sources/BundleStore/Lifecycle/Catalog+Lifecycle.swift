import Foundation
import GRDB

/// What is recorded of releases between installation and use. A row that can't be read counts as none, and none of them
/// decides what a sound release contains, so they have no digests.
extension Catalog {
    static func lifecycles(in database: Database) throws -> [BundleName: BundleLifecycle] {
        var lifecycles: [BundleName: BundleLifecycle] = [:]
        func read(_ table: String, _ take: (Row, inout BundleLifecycle) -> Void) throws {
            for row in try Row.fetchAll(database, sql: "SELECT * FROM \(table)") {
                guard let name = row.text("bundle").flatMap({ BundleName($0) }) else { continue }
                take(row, &lifecycles[name, default: BundleLifecycle()])
            }
        }
        try read("pendingActivation") { $1.pending = PendingActivation($0) }
        try read("probation") { $1.probation = Probation($0) }
        try read("withdrawnRelease") { $1.withdrawal = Withdrawal($0) }
        try read("seed") { row, lifecycle in
            if let version = row.text("version") { lifecycle.seeds.insert(version) }
        }
        return lifecycles
    }

    // MARK: - Pending activations

    func setPending(_ version: BundleVersion, of name: BundleName, _ mode: ActivationMode, at date: Date) throws {
        try change { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO pendingActivation VALUES (?, ?, ?, ?)",
                arguments: [name.string, version.string, mode.rawValue, date.timeIntervalSince1970]
            )
        }
    }

    func endPending(of name: BundleName) throws {
        try change { database in
            try database.execute(sql: "DELETE FROM pendingActivation WHERE bundle = ?", arguments: [name.string])
        }
    }

    // MARK: - Probation

    /// Counts a start of a server or an app.
    func countStart(of name: BundleName, _ version: BundleVersion) throws {
        try change { database in
            try database.execute(
                sql: "UPDATE probation SET startCount = startCount + 1 WHERE bundle = ? AND version = ?",
                arguments: [name.string, version.string]
            )
        }
    }

    /// Records the first load of a page.
    func recordLoad(of name: BundleName, _ version: BundleVersion, at date: Date) throws {
        try change { database in
            try database.execute(
                sql: "UPDATE probation SET loadedAt = ? WHERE bundle = ? AND version = ? AND loadedAt IS NULL",
                arguments: [date.timeIntervalSince1970, name.string, version.string]
            )
        }
    }

    /// Records that the active release works.
    func confirm(_ version: BundleVersion, of name: BundleName, at date: Date) throws {
        try change { database in
            try database.execute(
                sql: "DELETE FROM probation WHERE bundle = ? AND version = ?",
                arguments: [name.string, version.string]
            )
            try Self.record(UpdateEvent(.confirmed, name, at: date, version: version), in: database)
        }
    }

    /// Records that a release doesn't work: no rollback leads to it, and it doesn't become active later.
    ///
    /// - Parameter held: The version that an update must exceed from now on.
    func markBad(
        _ version: BundleVersion,
        of name: BundleName,
        reason: String,
        at date: Date,
        holding held: BundleVersion?
    ) throws {
        try change { database in
            try Self.noteBad(version, of: name, reason: reason, at: date, in: database)
            try Self.hold(held, of: name, in: database)
        }
    }

    /// The same for the active release, and makes an earlier one active in its place.
    func markBad(
        _ version: BundleVersion,
        of name: BundleName,
        reason: String,
        at date: Date,
        holding held: BundleVersion?,
        returningTo release: ReleaseRecord,
        leaving skipped: [BundleVersion]
    ) throws {
        try change { database in
            try Self.checkClaims(of: release.claims, permitting: [], in: database)
            try Self.noteBad(version, of: name, reason: reason, at: date, in: database)
            try Self.leave(skipped, of: name, in: database)
            try Self.activate(release.id, of: name, at: date, holding: held, as: .rolledBack, in: database)
        }
    }

    private static func noteBad(
        _ version: BundleVersion,
        of name: BundleName,
        reason: String,
        at date: Date,
        in database: Database
    ) throws {
        for table in ["probation", "pendingActivation"] {
            try database.execute(
                sql: "DELETE FROM \(table) WHERE bundle = ? AND version = ?",
                arguments: [name.string, version.string]
            )
        }
        try leave([version], of: name, in: database)
        try record(UpdateEvent(.markedBad, name, at: date, version: version, detail: reason), in: database)
    }

    /// Begins the probation of a release that has just become active, if it asks for one.
    static func beginProbation(of id: Int64, of name: BundleName, in database: Database) throws {
        try database.execute(sql: "DELETE FROM probation WHERE bundle = ?", arguments: [name.string])
        let row = try Row.fetchOne(database, sql: "SELECT version, manifest FROM release WHERE id = ?", arguments: [id])
        guard let version = row?.text("version"), let manifest = row?.value("manifest", as: Data.self),
            (try? BundleManifest.parse(stored: Array(manifest)))?.health != nil
        else { return }
        try database.execute(
            sql: "INSERT INTO probation VALUES (?, ?, ?, 0, NULL)",
            arguments: [name.string, version, FileIdentifier.random().name]
        )
    }

    // MARK: - Withdrawals

    func withdraw(_ name: BundleName, _ withdrawal: Withdrawal) throws {
        try change { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO withdrawnRelease VALUES (?, ?, ?, ?, ?)",
                arguments: [
                    name.string, withdrawal.version.string, withdrawal.reason.rawValue, withdrawal.successor?.string,
                    withdrawal.since.timeIntervalSince1970,
                ]
            )
            let event = UpdateEvent(
                .revoked,
                name,
                at: withdrawal.since,
                version: withdrawal.version,
                detail: withdrawal.successor.map { "\($0) is critical" }
            )
            try Self.record(event, in: database)
        }
    }

    func endWithdrawal(of name: BundleName) throws {
        try change { database in
            try database.execute(sql: "DELETE FROM withdrawnRelease WHERE bundle = ?", arguments: [name.string])
        }
    }

    // MARK: - Seeds

    /// Makes a version the one that was shipped with the app; an earlier one isn't any more.
    func setSeed(_ version: BundleVersion, of name: BundleName) throws {
        try change { database in
            try database.execute(sql: "DELETE FROM seed WHERE bundle = ?", arguments: [name.string])
            try database.execute(sql: "INSERT INTO seed VALUES (?, ?)", arguments: [name.string, version.string])
        }
    }

    /// The releases that only a person removes, or that become active later.
    static func lastingReleases(in database: Database) throws -> [Int64] {
        let join = "SELECT release.id FROM release JOIN"
        let same = "ON %.bundle = release.bundle AND %.version = release.version"
        let sql = ["seed", "pendingActivation"].map { "\(join) \($0) \(same.replacing("%", with: $0))" }
        let refuges = """
            SELECT release.id FROM release JOIN probation ON probation.bundle = release.bundle
            WHERE release.activationNumber = (
                SELECT max(other.activationNumber) FROM release AS other
                WHERE other.bundle = probation.bundle AND other.version != probation.version
            )
            """
        return try Int64.fetchAll(database, sql: (sql + [refuges]).joined(separator: " UNION "))
    }

    // MARK: - Ends

    /// Ends what the activation of another release ends.
    static func endLifecycle(of name: BundleName, in database: Database) throws {
        for table in ["pendingActivation", "withdrawnRelease"] {
            try database.execute(sql: "DELETE FROM \(table) WHERE bundle = ?", arguments: [name.string])
        }
    }

    /// Drops what is recorded of releases that have been removed.
    static func dropLifecycleOfRemoved(in database: Database) throws {
        for table in ["pendingActivation", "probation", "withdrawnRelease", "seed"] {
            try database.execute(
                sql: """
                    DELETE FROM \(table) WHERE NOT EXISTS (
                        SELECT 1 FROM release WHERE bundle = \(table).bundle AND version = \(table).version
                    )
                    """
            )
        }
    }
}

extension PendingActivation {
    fileprivate init?(_ row: Row) {
        guard let version = row.text("version").flatMap({ BundleVersion($0) }),
            let mode = row.text("mode").flatMap(ActivationMode.init), mode != .now, let since = row.date("since")
        else { return nil }
        self.init(version: version, mode: mode, since: since)
    }
}

extension Probation {
    fileprivate init?(_ row: Row) {
        guard let version = row.text("version").flatMap({ BundleVersion($0) }), let nonce = row.text("nonce"),
            FileIdentifier(name: nonce) != nil,
            let startCount = row.integer("startCount", in: 0...Int64(Int32.max))
        else { return nil }
        self.init(version: version, nonce: nonce, startCount: Int(startCount), loadedAt: row.date("loadedAt"))
    }
}

extension Withdrawal {
    fileprivate init?(_ row: Row) {
        guard let version = row.text("version").flatMap({ BundleVersion($0) }),
            let reason = row.text("reason").flatMap(Reason.init), let since = row.date("since")
        else { return nil }
        self.init(of: version, reason, successor: row.text("successor").flatMap { BundleVersion($0) }, since: since)
    }
}

extension Row {
    fileprivate func date(_ column: String) -> Date? {
        value(column, as: Double.self).flatMap { $0.isFinite ? Date(timeIntervalSince1970: $0) : nil }
    }
}
