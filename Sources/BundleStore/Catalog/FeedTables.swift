import Foundation
import GRDB

/// The tables `seenFeed`, `feedCopy`, `chosenFeed`, `feedRetry` and `failedRelease`: the feeds that the operator has chosen, the
/// feeds as they were last received, when what couldn't be fetched is asked for again, and what was fetched and can't be used.
/// One feed of each bundle is remembered, the one asked last, and what failed last.
///
/// None of it decides what is served, so rows have no digests, and a value that can't be read counts as unknown.
struct FeedTables {
    let connection: CatalogConnection

    /// A recorded time that is later than now by more than this was written by a wrong clock (RFC 4120 §1.6).
    private static let clockTolerance: TimeInterval = 300
    /// A longer pause in seconds was written by nobody: one after a failure, and one that a publisher asks for.
    private static let (longestPause, longestPoll): (TimeInterval, TimeInterval) = (25 * 3_600, 7 * 86_400)
    /// How much of a bundle is remembered that couldn't be fetched: its feed, the release that it offers, and earlier ones.
    private static let maximumRetryCount = 4
    /// How many feeds of one bundle are remembered.
    private static let maximumFeedCount = 8
    /// How many failed archives of one bundle are remembered.
    private static let maximumFailureCount = 32

    /// - Parameter feed: The digest of the feed's URL.
    func feedCopy(of name: BundleName, feed: Digest) throws -> FeedCopy? {
        let row = try connection.read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT * FROM feedCopy WHERE bundle = ? AND feed = ?",
                arguments: [name.string, feed.hex]
            )
        }
        return row.flatMap(FeedCopy.init)
    }

    func keep(_ copy: FeedCopy?, of name: BundleName, feed: Digest) throws {
        try connection.write { database in
            guard let copy else {
                try database.execute(
                    sql: "DELETE FROM feedCopy WHERE bundle = ? AND feed = ?",
                    arguments: [name.string, feed.hex]
                )
                return
            }
            try database.execute(
                sql: "INSERT OR REPLACE INTO feedCopy VALUES (?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    name.string, feed.hex, copy.location.hex, copy.entityTag, copy.lastModified,
                    Digest(of: copy.content).hex, Data(copy.content),
                ]
            )
        }
    }

    static func chosenFeed(of name: BundleName, in database: Database) throws -> ChosenFeed? {
        let row = try Row.fetchOne(
            database,
            sql: "SELECT * FROM chosenFeed WHERE bundle = ?",
            arguments: [name.string]
        )
        return row?.text("url").map { ChosenFeed(url: $0, channel: row?.text("channel")) }
    }

    func choose(_ feed: ChosenFeed?, for name: BundleName) throws {
        try connection.write { database in
            guard let feed else {
                try database.execute(sql: "DELETE FROM chosenFeed WHERE bundle = ?", arguments: [name.string])
                return
            }
            try database.execute(
                sql: "INSERT OR REPLACE INTO chosenFeed VALUES (?, ?, ?)",
                arguments: [name.string, feed.url, feed.channel]
            )
        }
    }

    /// - Parameter subject: The digest of what was asked for.
    func retry(of name: BundleName, _ subject: Digest, now: Date) throws -> FetchRetry? {
        let row = try connection.read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT * FROM feedRetry WHERE bundle = ? AND feed = ?",
                arguments: [name.string, subject.hex]
            )
        }
        guard let retry = row.flatMap(FetchRetry.init), retry.failedAt <= now + Self.clockTolerance,
            retry.pause <= (retry.hasFailed ? Self.longestPause : Self.longestPoll)
        else { return nil }
        return retry
    }

    func record(_ retry: FetchRetry?, of name: BundleName, _ subject: Digest) throws {
        try connection.write { database in
            guard let retry else {
                try database.execute(
                    sql: "DELETE FROM feedRetry WHERE bundle = ? AND feed = ?",
                    arguments: [name.string, subject.hex]
                )
                return
            }
            try database.execute(
                sql: "INSERT OR REPLACE INTO feedRetry VALUES (?, ?, ?, ?, ?)",
                arguments: [
                    name.string, subject.hex, retry.failureCount, retry.failedAt.timeIntervalSince1970,
                    retry.nextAt.timeIntervalSince1970,
                ]
            )
            try database.execute(
                sql: """
                    DELETE FROM feedRetry WHERE bundle = ? AND feed NOT IN (
                        SELECT feed FROM feedRetry WHERE bundle = ? ORDER BY feed = ? DESC, failedAt DESC LIMIT ?
                    )
                    """,
                arguments: [name.string, name.string, subject.hex, Self.maximumRetryCount]
            )
        }
    }

    /// - Parameter feed: The digest of the feed's URL.
    func highestSequence(of name: BundleName, feed: Digest) throws -> Int64? {
        try connection.read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT sequence FROM seenFeed WHERE bundle = ? AND feed = ?",
                arguments: [name.string, feed.hex]
            )?.integer("sequence", in: 1...Int64.max)
        }
    }

    /// Records a sequence number, unless a higher one is recorded.
    func recordSequence(_ sequence: Int64, of name: BundleName, feed: Digest, at date: Date) throws {
        try connection.write { database in
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
        try connection.write { database in
            try database.execute(
                sql: "DELETE FROM seenFeed WHERE bundle = ? AND feed = ?",
                arguments: [name.string, feed.hex]
            )
        }
    }

    func failedReleases(of name: BundleName) throws -> [FailedRelease] {
        let rows = try connection.read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT * FROM failedRelease WHERE bundle = ? ORDER BY failedAt, digest",
                arguments: [name.string]
            )
        }
        return rows.compactMap(FailedRelease.init)
    }

    func recordFailure(_ failure: FailedRelease, of name: BundleName) throws {
        try connection.write { database in
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
        try connection.write { database in
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
}

extension FeedCopy {
    /// Nil when the content isn't the one that was stored: what a feed says is believed as it is.
    fileprivate init?(_ row: Row) {
        guard let location = row.text("location").flatMap({ Digest(hex: $0) }),
            let content = row.value("content", as: Data.self).map(Array.init),
            let digest = row.text("digest"), digest == Digest(of: content).hex
        else { return nil }
        self.init(
            location: location,
            entityTag: row.text("entityTag"),
            lastModified: row.text("lastModified"),
            content: content
        )
    }
}

extension FetchRetry {
    fileprivate init?(_ row: Row) {
        guard let count = row.integer("failureCount", in: 0...Int64(Int32.max)),
            let failedAt = row.date("failedAt"), let nextAt = row.date("nextAt")
        else { return nil }
        self.init(
            failureCount: Int(count),
            failedAt: failedAt,
            nextAt: nextAt
        )
    }
}

extension FailedRelease {
    fileprivate init?(_ row: Row) {
        guard let version = row.text("version").flatMap(BundleVersion.init),
            let digest = row.text("digest").flatMap({ Digest(hex: $0) }), let reason = row.text("reason"),
            let date = row.date("failedAt")
        else { return nil }
        self.init(version: version, digest: digest, reason: reason, date: date)
    }
}
