import Foundation
import GRDB

extension Catalog {
    /// The tolerated clock difference in seconds, as is usual for protocols with timestamps (RFC 4120 §1.6).
    private static let clockTolerance: TimeInterval = 300

    /// - Parameter now: A recorded time later than this by more than the tolerance counts as unknown.
    func updateState(of name: BundleName, now: Date) throws -> UpdateState? {
        try read { database in
            guard let bundle = try InstalledRows(in: database).bundles[name] else { return nil }
            let row = try Row.fetchOne(
                database,
                sql: "SELECT checkedAt, lastFailure FROM bundle WHERE name = ?",
                arguments: [name.string]
            )
            // A value that can't be read counts as unknown.
            return UpdateState(
                heldVersion: bundle.heldVersion,
                checkedAt: row?.value("checkedAt").map(Date.init(timeIntervalSince1970:)).flatMap {
                    $0.timeIntervalSince(now) <= Self.clockTolerance ? $0 : nil
                },
                lastFailure: row?.text("lastFailure")
            )
        }
    }

    func recordCheck(of name: BundleName, at date: Date, failure: String?) throws {
        try write { database in
            try database.execute(
                sql: "UPDATE bundle SET checkedAt = ?, lastFailure = ? WHERE name = ?",
                arguments: [date.timeIntervalSince1970, failure, name.string]
            )
        }
    }
}
