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
                UpdateState(
                    heldVersion: try row.decode(String?.self, forColumn: "heldVersion").flatMap(BundleVersion.init),
                    checkedAt: try row.decode(Double?.self, forColumn: "checkedAt")
                        .map(Date.init(timeIntervalSince1970:)),
                    lastFailure: try row.decode(forColumn: "lastFailure")
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
