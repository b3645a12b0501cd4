import Foundation
import GRDB

/// What is remembered of updates. Except the held version, none of it decides what is served, so rows have no digests,
/// and a value that can't be read counts as unknown.
extension Catalog {
    /// The tolerated clock difference in seconds, as is usual for protocols with timestamps (RFC 4120 §1.6).
    private static let clockTolerance: TimeInterval = 300
    /// How long a check stands for later ones with the same outcome, in seconds: otherwise each would be a write.
    private static let checkInterval: TimeInterval = 86_400
    /// How many feeds of one bundle are remembered.
    private static let maximumFeedCount = 8
    /// How many failed archives of one bundle are remembered.
    private static let maximumFailureCount = 32

    /// - Parameter now: A recorded time later than this by more than the tolerance counts as unknown.
    func updateState(of name: BundleName, now: Date) throws -> UpdateState? {
        try read { database in
            guard let bundle = try InstalledRows(in: database).bundles[name] else { return nil }
            let row = try Row.fetchOne(
                database,
                sql: "SELECT checkedAt, lastFailure FROM bundle WHERE name = ?",
                arguments: [name.string]
            )
            return UpdateState(
                heldVersion: bundle.heldVersion,
                isOnHold: try Self.isOnHold(name, in: database),
                chosenFeed: try Self.chosenFeed(of: name, in: database),
                checkedAt: row?.value("checkedAt").map(Date.init(timeIntervalSince1970:)).flatMap {
                    $0.timeIntervalSince(now) <= Self.clockTolerance ? $0 : nil
                },
                lastFailure: row?.text("lastFailure")
            )
        }
    }

    /// Records a check, unless one of the last day with the same outcome is recorded.
    func recordCheck(of name: BundleName, at date: Date, failure: String?) throws {
        let recorded = try updateState(of: name, now: date)
        if let recorded, let time = recorded.checkedAt, recorded.lastFailure == failure,
            date.timeIntervalSince(time) < Self.checkInterval
        {
            return
        }
        try write { database in
            try database.execute(
                sql: "UPDATE bundle SET checkedAt = ?, lastFailure = ? WHERE name = ?",
                arguments: [date.timeIntervalSince1970, failure, name.string]
            )
        }
    }

    func setHold(_ isOnHold: Bool, _ name: BundleName) throws {
        try change { database in
            let wasOnHold = try Self.isOnHold(name, in: database)
            try database.execute(
                sql: isOnHold ? "INSERT OR IGNORE INTO hold VALUES (?)" : "DELETE FROM hold WHERE bundle = ?",
                arguments: [name.string]
            )
            // Putting a bundle on hold for a while must not bring a release back that was left.
            if !isOnHold, !wasOnHold { try Self.hold(nil, of: name, in: database) }
        }
    }

    /// - Parameter held: The version that an update must exceed from now on; nil for none but the active one.
    static func hold(_ held: BundleVersion?, of name: BundleName, in database: Database) throws {
        guard let bundle = try InstalledRows(in: database).bundles[name], bundle.heldVersion != held else { return }
        try write(BundleRecord(name: name, active: bundle.active, heldVersion: held), in: database)
        guard let active = bundle.active else { return }
        // Where the bundle's row is lost, this row says what is held back.
        try DigestedTable.release.changing(active, in: database) {
            try database.execute(
                sql: "UPDATE release SET heldVersion = ? WHERE id = ?",
                arguments: [held?.string, active]
            )
        }
    }

    /// Lets no rollback lead to versions.
    func leave(_ versions: [BundleVersion], of name: BundleName) throws {
        try change { try Self.leave(versions, of: name, in: $0) }
    }

    static func leave(_ versions: [BundleVersion], of name: BundleName, in database: Database) throws {
        for version in versions {
            try database.execute(
                sql: "INSERT OR IGNORE INTO leftRelease VALUES (?, ?)",
                arguments: [name.string, version.string]
            )
        }
    }

    private static func isOnHold(_ name: BundleName, in database: Database) throws -> Bool {
        try Row.fetchOne(database, sql: "SELECT 1 FROM hold WHERE bundle = ?", arguments: [name.string]) != nil
    }

    // MARK: - Feeds and what they offered

    /// - Parameter feed: The digest of the feed's URL.
    func highestSequence(of name: BundleName, feed: Digest) throws -> Int64? {
        try read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT sequence FROM seenFeed WHERE bundle = ? AND feed = ?",
                arguments: [name.string, feed.hex]
            )?.integer("sequence", in: 1...Int64.max)
        }
    }

    /// Records a sequence number, unless a higher one is recorded.
    func recordSequence(_ sequence: Int64, of name: BundleName, feed: Digest, at date: Date) throws {
        try write { database in
            try database.execute(
                sql: """
                    INSERT INTO seenFeed VALUES (?, ?, ?, ?) ON CONFLICT (bundle, feed) DO UPDATE SET
                    sequence = iif(typeof(sequence) = 'integer', max(sequence, excluded.sequence), excluded.sequence),
                    seenAt = excluded.seenAt
                    """,
                arguments: [name.string, feed.hex, sequence, date.timeIntervalSince1970]
            )
            try Self.keepLatest(Self.maximumFeedCount, of: name, in: "seenFeed", "feed", by: "seenAt", in: database)
        }
    }

    func forgetSequence(of name: BundleName, feed: Digest) throws {
        try write { database in
            try database.execute(
                sql: "DELETE FROM seenFeed WHERE bundle = ? AND feed = ?",
                arguments: [name.string, feed.hex]
            )
        }
    }

    func failedReleases(of name: BundleName) throws -> [FailedRelease] {
        let rows = try read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT * FROM failedRelease WHERE bundle = ? ORDER BY failedAt, digest",
                arguments: [name.string]
            )
        }
        return rows.compactMap(FailedRelease.init)
    }

    func recordFailure(_ failure: FailedRelease, of name: BundleName) throws {
        try write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO failedRelease VALUES (?, ?, ?, ?, ?)",
                arguments: [
                    name.string, failure.digest.hex, failure.version.string, failure.reason,
                    failure.date.timeIntervalSince1970,
                ]
            )
            try Self.keepLatest(
                Self.maximumFailureCount,
                of: name,
                in: "failedRelease",
                "digest",
                by: "failedAt",
                in: database
            )
        }
    }

    func forgetFailures(of name: BundleName) throws {
        try write { database in
            try database.execute(sql: "DELETE FROM failedRelease WHERE bundle = ?", arguments: [name.string])
        }
    }

    private static func keepLatest(
        _ count: Int,
        of name: BundleName,
        in table: String,
        _ key: String,
        by time: String,
        in database: Database
    ) throws {
        try database.execute(
            sql: """
                DELETE FROM \(table) WHERE bundle = ? AND \(key) IN (
                    SELECT \(key) FROM \(table) WHERE bundle = ? ORDER BY \(time) DESC LIMIT -1 OFFSET \(count)
                )
                """,
            arguments: [name.string, name.string]
        )
    }

    // MARK: - The installation

    /// What tells the installation from others, and the machine that it is on; nil when that isn't known.
    func installation() throws -> (identifier: InstallationIdentifier, machine: String?)? {
        try read(Self.installation)
    }

    /// Returns the identifier that is recorded for a machine, or for one that isn't known; records `new` when there is none.
    func recordInstallation(
        _ new: InstallationIdentifier,
        on machine: MachineFingerprint?
    ) throws -> InstallationIdentifier {
        try write { database in
            var identifier = new
            if let recorded = try Self.installation(in: database),
                machine == nil || recorded.machine == nil || recorded.machine == machine?.string
            {
                identifier = recorded.identifier
            }
            try database.execute(
                sql: "INSERT OR REPLACE INTO installation (only, identifier, machine) VALUES (1, ?, ?)",
                arguments: [identifier.string, machine?.string]
            )
            return identifier
        }
    }

    func forgetInstallation() throws {
        try write { try $0.execute(sql: "DELETE FROM installation") }
    }

    private static func installation(
        in database: Database
    ) throws -> (identifier: InstallationIdentifier, machine: String?)? {
        let row = try Row.fetchOne(database, sql: "SELECT identifier, machine FROM installation WHERE only = 1")
        return row?.text("identifier").flatMap(InstallationIdentifier.init).map { ($0, row?.text("machine")) }
    }

    /// Drops what is remembered of bundles and versions that have been removed.
    static func dropUpdateStateOfRemoved(in database: Database) throws {
        try dropLifecycleOfRemoved(in: database)
        for table in [
            "hold", "leftRelease", "seenFeed", "failedRelease", "feedCopy", "feedRetry", "chosenFeed", "updateEvent",
        ] {
            try database.execute(sql: "DELETE FROM \(table) WHERE bundle NOT IN (SELECT bundle FROM release)")
        }
        try database.execute(
            sql: """
                DELETE FROM leftRelease WHERE NOT EXISTS (
                    SELECT 1 FROM release WHERE bundle = leftRelease.bundle AND version = leftRelease.version
                )
                """
        )
    }
}

extension FailedRelease {
    fileprivate init?(_ row: Row) {
        guard let version = row.text("version").flatMap(BundleVersion.init),
            let digest = row.text("digest").flatMap({ Digest(hex: $0) }), let reason = row.text("reason"),
            let time = row.value("failedAt", as: Double.self), time.isFinite
        else { return nil }
        self.init(version: version, digest: digest, reason: reason, date: Date(timeIntervalSince1970: time))
    }
}
