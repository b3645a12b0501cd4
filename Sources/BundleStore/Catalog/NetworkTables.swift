import Foundation
import GRDB

/// What a responder has seen of an origin. A value type; safe to share between threads.
public struct OriginState: Sendable, Equatable, Encodable {
    /// Whether the origin counts as out: the states of a circuit breaker.
    public enum Circuit: String, Sendable, Codable {
        /// It isn't out.
        case closed
        /// It is out, and isn't asked where something stored can take the place of its response.
        case open
        /// It is out, and is being asked whether it has returned.
        case halfOpen = "half-open"
    }

    /// Scheme, host and port: `https://m.example.com`.
    public let origin: String
    /// Whether it counts as out.
    public package(set) var circuit: Circuit
    /// Since when it has been out; nil unless it is. It isn't kept in the store.
    public package(set) var outSince: Date?
    /// When it is asked again; nil unless it is out.
    public package(set) var nextTry: Date?
    /// Why it didn't respond the last time that it didn't, in one line; nil when it always did.
    public package(set) var failure: String?
    /// When that was.
    public package(set) var failedAt: Date?
    /// When it responded last; nil when it never did.
    public package(set) var respondedAt: Date?
    /// The number of its responses, whatever their status.
    public package(set) var responseCount: Int
    /// The number of requests without a response.
    public package(set) var failureCount: Int
    /// The statuses of the last responses, and 0 for none; the latest last, at most ten.
    public package(set) var recent: [Int]

    private enum CodingKeys: String, CodingKey {
        case origin
        case circuit = "state"
        case nextTry = "nextTryAt"
        case failure, failedAt, respondedAt, responseCount, failureCount, recent
    }

    /// The most elements of ``recent``.
    package static let maximumRecentCount = 10

    /// An origin of which nothing has been seen.
    package init(_ origin: String) {
        self.origin = origin
        circuit = .closed
        (responseCount, failureCount, recent) = (0, 0, [])
    }
}

/// The last attempt to fetch a URL that a manifest names in `precache`. A value type; safe to share between threads.
package struct PrecacheAttempt: Sendable, Equatable {
    /// When it took place.
    package let date: Date
    /// How many attempts have failed one after the other; 0 after a success.
    package let failureCount: Int
    /// Why it failed, in one line; nil when it succeeded.
    package let failure: String?
    /// The next attempt isn't before; nil when there is none for this version.
    package let nextDate: Date?

    /// Describes an attempt.
    package init(at date: Date, failureCount: Int = 0, failure: String? = nil, next nextDate: Date?) {
        self.date = date
        self.failureCount = failureCount
        self.failure = failure
        self.nextDate = nextDate
    }
}

/// The tables `link`, `precache` and `originState`: the state of the network, what was fetched ahead, and what was seen of the
/// origins. None of it decides what is right to serve, so rows have no digests, and a value that can't be read counts as unknown.
struct NetworkTables {
    let connection: CatalogConnection

    /// A recorded time that is later than this after now was written by a wrong clock.
    private static let longestPause: TimeInterval = 25 * 3_600
    private static let maximumOriginCount = 256

    func meteredSetting() throws -> Bool? {
        try connection.read { database in
            try Row.fetchOne(database, sql: "SELECT isMetered FROM link WHERE only = 1")?
                .integer("isMetered", in: 0...1).map { $0 == 1 }
        }
    }

    func setMetered(_ isMetered: Bool?) throws {
        // The generation tells running endpoints.
        try connection.change { database in
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
        let rows = try connection.read { database in
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
        try connection.write { database in
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
        let rows = try connection.read { try Row.fetchAll($0, sql: "SELECT * FROM originState ORDER BY origin") }
        return rows.compactMap { row in
            guard let state = OriginState(row), let date = row.date("notedAt") else { return nil }
            return (state, date)
        }
    }

    func recordOriginStates(_ states: [OriginState], at date: Date) throws {
        try connection.write { database in
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
