import Foundation
import GRDB

/// The table `hold`, and what the table `bundle` tells of checks: whether and how a bundle is updated. Except the held version,
/// none of it decides what is served, so rows have no digests, and a value that can't be read counts as unknown.
struct UpdateStateTables {
    let connection: CatalogConnection

    /// The tolerated clock difference in seconds, as is usual for protocols with timestamps (RFC 4120 §1.6).
    static let clockTolerance: TimeInterval = 300
    /// How long a check stands for later ones with the same outcome, in seconds: otherwise each would wait for the disk.
    private static let checkInterval: TimeInterval = 86_400

    /// - Parameter now: A recorded time later than this by more than the tolerance counts as unknown.
    func state(of name: BundleName, now: Date) throws -> UpdateState? {
        try connection.read { database in
            guard let bundle = try InstalledRows(in: database).bundles[name] else { return nil }
            let row = try Row.fetchOne(
                database,
                sql: "SELECT checkedAt, lastFailure FROM bundle WHERE name = ?",
                arguments: [name.string]
            )
            return UpdateState(
                heldVersion: bundle.heldVersion,
                isOnHold: try Self.isOnHold(name, in: database),
                chosenFeed: try FeedTables.chosenFeed(of: name, in: database),
                checkedAt: row?.value("checkedAt").map(Date.init(timeIntervalSince1970:)).flatMap {
                    $0.timeIntervalSince(now) <= Self.clockTolerance ? $0 : nil
                },
                lastFailure: row?.text("lastFailure")
            )
        }
    }

    /// Counts a check, and records it, unless one of the last day with the same outcome is recorded.
    ///
    /// - Parameter reason: Why it has failed, for its count.
    func recordCheck(of name: BundleName, at date: Date, failure: String?, reason: UpdateFailureReason) throws {
        let recorded = try state(of: name, now: date)
        let isRepeated =
            if let recorded, let time = recorded.checkedAt {
                recorded.lastFailure == failure && date.timeIntervalSince(time) < Self.checkInterval
            } else { false }
        // Most checks find nothing new, and don't wait for the disk.
        try connection.write(awaitingDisk: !isRepeated) { database in
            try FiguresTables.count(failure.map { _ in reason }, of: name, at: date, in: database)
            guard !isRepeated else { return }
            try database.execute(
                sql: "UPDATE bundle SET checkedAt = ?, lastFailure = ? WHERE name = ?",
                arguments: [date.timeIntervalSince1970, failure, name.string]
            )
        }
    }

    func setHold(_ isOnHold: Bool, _ name: BundleName) throws {
        try connection.change { database in
            let wasOnHold = try Self.isOnHold(name, in: database)
            try database.execute(
                sql: isOnHold ? "INSERT OR IGNORE INTO hold VALUES (?)" : "DELETE FROM hold WHERE bundle = ?",
                arguments: [name.string]
            )
            // Putting a bundle on hold for a while must not bring a release back that was left.
            if !isOnHold, !wasOnHold { try ReleaseTables.hold(nil, of: name, in: database) }
        }
    }

    private static func isOnHold(_ name: BundleName, in database: Database) throws -> Bool {
        try Row.fetchOne(database, sql: "SELECT 1 FROM hold WHERE bundle = ?", arguments: [name.string]) != nil
    }
}

/// The state of a bundle's update checks.
public struct UpdateState: Sendable, Equatable {
    /// After a rollback or the activation of a lower version, the highest version that was left: updates install only
    /// higher ones. Nil otherwise.
    public let heldVersion: BundleVersion?
    /// Whether updates leave the bundle as it is; see ``BundleStore/setHold(_:_:waits:)``.
    public let isOnHold: Bool
    /// The feed that the operator has chosen; nil for the one that the manifest names.
    public let chosenFeed: ChosenFeed?
    /// When the feed was last requested, or first in a day of requests with the same outcome; nil when it never was, or
    /// when the recorded time is more than five minutes in the future.
    public let checkedAt: Date?
    /// Why the last check or update failed, or why it found a release that can't be used; nil otherwise.
    public let lastFailure: String?
}
