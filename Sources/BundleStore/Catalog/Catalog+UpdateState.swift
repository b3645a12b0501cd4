import Foundation
import GRDB

extension Catalog {
    func updateState(of name: BundleName) throws -> UpdateState? {
        try database.read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT heldVersion, checkedAt, lastFailure FROM bundle WHERE name = ?",
                arguments: [name.string]
            )
            .map { row in
                UpdateState(
                    heldVersion: (row["heldVersion"] as String?).flatMap(BundleVersion.init),
                    checkedAt: (row["checkedAt"] as Double?).map(Date.init(timeIntervalSince1970:)),
                    lastFailure: row["lastFailure"]
                )
            }
        }
    }

    func recordCheck(of name: BundleName, at date: Date, failure: String?) throws {
        try database.write { database in
            try database.execute(
                sql: "UPDATE bundle SET checkedAt = ?, lastFailure = ? WHERE name = ?",
                arguments: [date.timeIntervalSince1970, failure, name.string]
            )
        }
    }
}
