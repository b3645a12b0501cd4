import Foundation
import GRDB

/// What is recorded of releases between installation and use. A row that can't be read counts as none, and none of them
/// decides what a sound release contains, so they have no digests.
struct LifecycleTables {
    let connection: CatalogConnection

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
        try read("withdrawal") { row, lifecycle in
            if let withdrawal = Withdrawal(row) { lifecycle.withdrawals[withdrawal.version.string] = withdrawal }
        }
        func readVersions(_ table: String, _ versions: WritableKeyPath<BundleLifecycle, Set<String>>) throws {
            try read(table) { row, lifecycle in
                if let version = row.text("version") { lifecycle[keyPath: versions].insert(version) }
            }
        }
        try readVersions("unconfirmedRelease", \.unconfirmed)
        try readVersions("leftRelease", \.left)
        try readVersions("seed", \.seeds)
        try read("signedRelease") { row, lifecycle in
            if let version = row.text("version") { lifecycle.signatures[version] = ReleaseSignature(row) }
        }
        return lifecycles
    }

    // MARK: - Pending activations

    func setPending(_ version: BundleVersion, of name: BundleName, _ mode: ActivationMode, at date: Date) throws {
        try connection.change { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO pendingActivation VALUES (?, ?, ?, ?)",
                arguments: [name.string, version.string, mode.rawValue, date.timeIntervalSince1970]
            )
        }
    }

    func endPending(of name: BundleName) throws {
        try connection.change { database in
            try database.execute(sql: "DELETE FROM pendingActivation WHERE bundle = ?", arguments: [name.string])
        }
    }

    // MARK: - Probation

    /// Records the first load of a page in a run of a server or an app.
    func recordLoad(of name: BundleName, _ probation: Probation, at date: Date) throws {
        try connection.change { database in
            try database.execute(
                sql: """
                    UPDATE probation SET loadedAt = coalesce(loadedAt, ?), startCount = startCount + 1
                    WHERE bundle = ? AND nonce = ?
                    """,
                arguments: [date.timeIntervalSince1970, name.string, probation.nonce]
            )
        }
    }

    /// Records how much of its time has passed. Only a process that starts later needs it.
    func record(_ observed: Duration, of name: BundleName, _ probation: Probation) throws {
        try connection.write { database in
            try database.execute(
                sql: "UPDATE probation SET observed = max(observed, ?) WHERE bundle = ? AND nonce = ?",
                arguments: [observed / .seconds(1), name.string, probation.nonce]
            )
        }
    }

    /// Records that the active release works.
    func confirm(_ version: BundleVersion, of name: BundleName, at date: Date) throws {
        try connection.change { database in
            for table in ["probation", "unconfirmedRelease"] {
                try database.execute(
                    sql: "DELETE FROM \(table) WHERE bundle = ? AND version = ?",
                    arguments: [name.string, version.string]
                )
            }
            try HistoryTable.record(UpdateEvent(.confirmed, name, at: date, version: version), in: database)
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
        try connection.change { database in
            try Self.noteBad(version, of: name, reason: reason, at: date, in: database)
            try ReleaseTables.hold(held, of: name, in: database)
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
        try connection.change { database in
            try OriginClaims.check(of: release.claims, permitting: [], in: database)
            try Self.noteBad(version, of: name, reason: reason, at: date, in: database)
            try Self.leave(skipped, of: name, in: database)
            try ReleaseTables.activate(release.id, of: name, at: date, holding: held, as: .rolledBack, in: database)
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
        try HistoryTable.record(UpdateEvent(.markedBad, name, at: date, version: version, detail: reason), in: database)
    }

    /// Begins the probation of a release that has just become active, if it asks for one.
    static func beginProbation(of id: Int64, of name: BundleName, in database: Database) throws {
        try database.execute(sql: "DELETE FROM probation WHERE bundle = ?", arguments: [name.string])
        let row = try Row.fetchOne(database, sql: "SELECT version, manifest FROM release WHERE id = ?", arguments: [id])
        guard let version = row?.text("version"), let manifest = row?.value("manifest", as: Data.self),
            (try? BundleManifest.parse(stored: Array(manifest)))?.health != nil
        else { return }
        try database.execute(
            sql: "INSERT INTO probation VALUES (?, ?, ?, 0, NULL, 0)",
            arguments: [name.string, version, FileIdentifier.random().name]
        )
        try database.execute(
            sql: "INSERT OR IGNORE INTO unconfirmedRelease VALUES (?, ?)",
            arguments: [name.string, version]
        )
    }

    // MARK: - Withdrawals

    /// - Parameter active: The active version, of which the journal says that it isn't used any more for any reason.
    func setWithdrawals(_ withdrawals: [Withdrawal], of name: BundleName, active: BundleVersion?) throws {
        try connection.change { database in
            let current = try Self.withdrawals(of: name, in: database)
            try database.execute(sql: "DELETE FROM withdrawal WHERE bundle = ?", arguments: [name.string])
            for withdrawal in withdrawals {
                let known = current[withdrawal.version.string].flatMap { withdrawal.says(sameAs: $0) ? $0 : nil }
                try Self.insert(known ?? withdrawal, of: name, in: database)
                let isActive = withdrawal.version.string == active?.string
                guard known == nil, isActive || withdrawal.reason == .revoked else { continue }
                try HistoryTable.record(withdrawal.event(of: name), in: database)
            }
        }
    }

    private static func withdrawals(of name: BundleName, in database: Database) throws -> [String: Withdrawal] {
        let sql = "SELECT * FROM withdrawal WHERE bundle = ?"
        let withdrawals = try Row.fetchAll(database, sql: sql, arguments: [name.string]).compactMap { Withdrawal($0) }
        return Dictionary(withdrawals.map { ($0.version.string, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func insert(_ withdrawal: Withdrawal, of name: BundleName, in database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO withdrawal VALUES (?, ?, ?, ?, ?)",
            arguments: [
                name.string, withdrawal.version.string, withdrawal.reason.rawValue, withdrawal.successor?.string,
                withdrawal.since.timeIntervalSince1970,
            ]
        )
    }

    /// Ends what a critical release has ended, when a lower one becomes active: then the critical one was left.
    private static func endWithdrawals(of name: BundleName, activating id: Int64, in database: Database) throws {
        let sql = "SELECT version FROM release WHERE id = ?"
        let row = try Row.fetchOne(database, sql: sql, arguments: [id])
        guard let active = row?.text("version").flatMap({ BundleVersion($0) }) else { return }
        for withdrawal in try withdrawals(of: name, in: database).values {
            guard let successor = withdrawal.successor, successor > active else { continue }
            try database.execute(
                sql: "DELETE FROM withdrawal WHERE bundle = ? AND version = ?",
                arguments: [name.string, withdrawal.version.string]
            )
        }
    }

    // MARK: - Releases that were left

    /// Lets no rollback lead to versions.
    func leave(_ versions: [BundleVersion], of name: BundleName) throws {
        try connection.change { try Self.leave(versions, of: name, in: $0) }
    }

    static func leave(_ versions: [BundleVersion], of name: BundleName, in database: Database) throws {
        for version in versions {
            try database.execute(
                sql: "INSERT OR IGNORE INTO leftRelease VALUES (?, ?)",
                arguments: [name.string, version.string]
            )
        }
    }

    // MARK: - Seeds

    /// Makes a version the one that was shipped with the app; an earlier one isn't any more.
    func setSeed(_ version: BundleVersion, of name: BundleName) throws {
        try connection.change { database in
            try database.execute(sql: "DELETE FROM seed WHERE bundle = ?", arguments: [name.string])
            try database.execute(sql: "INSERT INTO seed VALUES (?, ?)", arguments: [name.string, version.string])
        }
    }

    /// The releases that only a person removes, or that become active later.
    static func lastingReleases(in database: Database) throws -> [Int64] {
        let join = "SELECT release.id FROM release JOIN"
        let same = "ON %.bundle = release.bundle AND %.version = release.version"
        let sql = ["seed", "pendingActivation"].map { "\(join) \($0) \(same.replacing("%", with: $0))" }
        // The last sound release before one that has yet to be confirmed; see `InstalledBundle.rollbackTarget`.
        let rollbackTargets = """
            SELECT release.id FROM release JOIN probation ON probation.bundle = release.bundle
            WHERE release.activationNumber = (
                SELECT max(other.activationNumber) FROM release AS other
                WHERE other.bundle = probation.bundle AND other.version != probation.version AND NOT EXISTS (
                    SELECT 1 FROM unconfirmedRelease AS unconfirmed
                    WHERE unconfirmed.bundle = other.bundle AND unconfirmed.version = other.version
                ) AND NOT EXISTS (
                    SELECT 1 FROM leftRelease AS "left"
                    WHERE "left".bundle = other.bundle AND "left".version = other.version
                )
            )
            """
        return try Int64.fetchAll(database, sql: (sql + [rollbackTargets]).joined(separator: " UNION "))
    }

    // MARK: - Ends

    /// Ends what the activation of another release ends.
    static func end(of name: BundleName, activating id: Int64, in database: Database) throws {
        try database.execute(sql: "DELETE FROM pendingActivation WHERE bundle = ?", arguments: [name.string])
        try endWithdrawals(of: name, activating: id, in: database)
    }
}

extension ReleaseSignature {
    fileprivate init?(_ row: Row) {
        guard let root = row.text("root").flatMap({ Digest(hex: $0) }),
            let keys = row.text("keys").flatMap({ Digest(hex: $0) }),
            let contentDigest = row.text("contentDigest").flatMap({ Digest(hex: $0) })
        else { return nil }
        self.init(root: root, keys: keys, contentDigest: contentDigest)
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
            let startCount = row.integer("startCount", in: 0...Int64(Int32.max)),
            let observed = row.value("observed", as: Double.self),
            (0...Double(HealthTerms.maximumSeconds)).contains(observed)
        else { return nil }
        self.init(
            version: version,
            nonce: nonce,
            startCount: Int(startCount),
            loadedAt: row.date("loadedAt"),
            observed: .seconds(observed)
        )
    }
}

extension Withdrawal {
    fileprivate init?(_ row: Row) {
        guard let version = row.text("version").flatMap({ BundleVersion($0) }),
            let reason = row.text("reason").flatMap(Reason.init), let since = row.date("since")
        else { return nil }
        self.init(of: version, reason, successor: row.text("successor").flatMap { BundleVersion($0) }, since: since)
    }

    fileprivate func event(of name: BundleName) -> UpdateEvent {
        UpdateEvent(.revoked, name, at: since, version: version, detail: successor.map { "\($0) is critical" })
    }
}
