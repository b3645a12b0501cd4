import Foundation
import GRDB

extension Catalog {
    func updateState(of name: BundleName) throws -> UpdateState? {
        try read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT heldVersion, checkedAt, lastFailure FROM bundle WHERE name = ?",
                arguments: [name.string]
            )
            .map { row in
                // What can't be read counts as not known.
                UpdateState(
                    heldVersion: row.text("heldVersion").flatMap(BundleVersion.init),
                    checkedAt: row.value("checkedAt").map(Date.init(timeIntervalSince1970:)),
                    lastFailure: row.text("lastFailure")
                )
            }
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
