import Foundation
import GRDB

extension Catalog {
    func updateState(of name: BundleName) throws -> UpdateState? {
        try read { database in
            guard let bundle = try InstalledRows(in: database).bundles[name] else { return nil }
            let row = try Row.fetchOne(
                database,
                sql: "SELECT checkedAt, lastFailure FROM bundle WHERE name = ?",
                arguments: [name.string]
            )
            // What can't be read counts as not known.
            return UpdateState(
                heldVersion: bundle.heldVersion,
                checkedAt: row?.value("checkedAt").map(Date.init(timeIntervalSince1970:)),
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
