import Foundation
import GRDB

/// The state of the network: what was fetched ahead, and what was seen of the origins. None of it decides what is right
/// to serve, so rows have no digests, and a value that can't be read counts as unknown.
extension Catalog {
    /// A recorded time that is later than this after now was written by a wrong clock.
    private static let longestPause: TimeInterval = 25 * 3_600
    private static let maximumOriginCount = 256

    func meteredSetting() throws -> Bool? {
        try read { database in
            try Row.fetchOne(database, sql: "SELECT isMetered FROM link WHERE only = 1")?
                .integer("isMetered", in: 0...1).map { $0 == 1 }
        }
    }

    func setMetered(_ isMetered: Bool?) throws {
        // The generation tells running endpoints.
        try change { database in
            try database.execute(sql: "DELETE FROM link")
            guard let isMetered else { return }
            try database.execute(
                sql: "INSERT INTO link (only, isMetered) VALUES (1, ?)",
                arguments: [isMetered ? 1 : 0]
            )
        }
    }

    func precacheAttempts(
        of name: BundleName,
        _ version: BundleVersion,
        now: Date
    ) throws -> [String: PrecacheAttempt] {
        let rows = try read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT * FROM precache WHERE bundle = ? AND version = ?",
                arguments: [name.string, version.string]
            )
        }
        let attempts = rows.compactMap { row -> (String, PrecacheAttempt)? in
            guard let url = row.text("url"), let date = row.date("triedAt"), date <= now + Self.longestPause,
                let count = row.integer("failureCount", in: 0...Int64(Int32.max))
            else { return nil }
            let attempt = PrecacheAttempt(
                at: date,
                failureCount: Int(count),
                failure: row.text("failure"),
                next: row.date("nextAt").map { min($0, now + Self.longestPause) }
            )
            return (url, attempt)
        }
        return Dictionary(attempts, uniquingKeysWith: { first, _ in first })
    }

    func recordPrecache(
        _ attempts: [String: PrecacheAttempt],
        of name: BundleName,
        _ version: BundleVersion
    ) throws {
        try write { database in
            let isInstalled = try Row.fetchOne(
                database,
                sql: "SELECT 1 FROM release WHERE bundle = ? AND version = ?",
                arguments: [name.string, version.string]
            )
            guard isInstalled != nil else { return }
            for (url, attempt) in attempts {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO precache VALUES (?, ?, ?, ?, ?, ?, ?)",
                    arguments: [
                        name.string, version.string, url, attempt.date.timeIntervalSince1970, attempt.failureCount,
                        attempt.failure, attempt.nextDate?.timeIntervalSince1970,
                    ]
                )
            }
        }
    }

    func originStates() throws -> [(state: OriginState, notedAt: Date)] {
        let rows = try read { try Row.fetchAll($0, sql: "SELECT * FROM originState ORDER BY origin") }
        return rows.compactMap { row in
            guard let state = OriginState(row), let date = row.date("notedAt") else { return nil }
            return (state, date)
        }
    }

    func recordOriginStates(_ states: [OriginState], at date: Date) throws {
        try write { database in
            for state in states {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO originState VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    arguments: [
                        state.origin, state.circuit.rawValue, state.nextTry?.timeIntervalSince1970, state.failure,
                        state.failedAt?.timeIntervalSince1970, state.respondedAt?.timeIntervalSince1970,
                        state.responseCount, state.failureCount,
                        state.recent.map(String.init).joined(separator: " "), date.timeIntervalSince1970,
                    ]
                )
            }
            try database.execute(
                sql: """
                    DELETE FROM originState WHERE origin IN (
                        SELECT origin FROM originState ORDER BY notedAt DESC LIMIT -1 OFFSET \(Self.maximumOriginCount)
                    )
                    """
            )
        }
    }
}

extension OriginState {
    fileprivate init?(_ row: Row) {
        guard let origin = row.text("origin"), let circuit = row.text("state").flatMap(Circuit.init) else { return nil }
        self.init(origin)
        self.circuit = circuit
        nextTry = row.date("nextTryAt")
        failure = row.text("failure")
        failedAt = row.date("failedAt")
        respondedAt = row.date("respondedAt")
        responseCount = Int(row.integer("responseCount", in: 0...Int64(Int32.max)) ?? 0)
        failureCount = Int(row.integer("failureCount", in: 0...Int64(Int32.max)) ?? 0)
        recent = Array(
            (row.text("recent") ?? "").split(separator: " ").compactMap { Int($0) }.suffix(Self.maximumRecentCount)
        )
    }
}

extension Row {
    /// A column with seconds since 1970.
    fileprivate func date(_ column: String) -> Date? {
        value(column, as: Double.self).flatMap { $0.isFinite ? Date(timeIntervalSince1970: $0) : nil }
    }
}
