import Foundation
import GRDB

/// What is remembered of the bundles' feeds.
extension BundleStore {
    /// The feed of a bundle as it was last received; nil when there is none, or it isn't as it was stored.
    ///
    /// - Parameter feed: The URL at which it was asked for.
    package func feedCopy(of name: BundleName, feed: String) throws -> FeedCopy? {
        try Self.accessing(path) { try catalog.feedCopy(of: name, feed: Digest(of: Array(feed.utf8))) }
    }

    /// Keeps the feed of a bundle in place of an earlier one; nil keeps none.
    ///
    /// - Parameter feed: The URL at which it was asked for.
    package func keep(_ copy: FeedCopy?, of name: BundleName, feed: String) throws {
        try Self.accessing(path) { try catalog.keep(copy, of: name, feed: Digest(of: Array(feed.utf8))) }
    }

    /// Makes a bundle follow a feed in place of the one that its manifest names; nil ends that.
    package func choose(_ feed: ChosenFeed?, for name: BundleName) throws {
        guard try updateState(of: name)?.chosenFeed != feed else { return }
        try Self.accessing(path) { try catalog.choose(feed, for: name) }
    }

    /// When something of a bundle is asked for again by the clock; nil when it wasn't what failed last, or the clock was set
    /// back since.
    package func retry(of name: BundleName, _ subject: FetchRetry.Subject) throws -> FetchRetry? {
        try Self.accessing(path) { try catalog.retry(of: name, subject.digest, now: now()) }
    }

    /// Records that something of a bundle couldn't be fetched, in place of what failed before; nil that it could.
    package func record(_ retry: FetchRetry?, of name: BundleName, _ subject: FetchRetry.Subject) throws {
        try Self.accessing(path) { try catalog.record(retry, of: name, subject.digest) }
    }
}

/// A feed as it was last received, and what tells its server which one that was. A value type; safe to share between threads.
package struct FeedCopy: Equatable, Sendable {
    /// The URL that served it, after redirects: its validators mean nothing to another one.
    package let location: Digest
    /// The field value of its ETag; nil when it has none.
    package let entityTag: String?
    /// The field value of its Last-Modified; nil when it has none that can be relied on.
    package let lastModified: String?
    /// The feed.
    package let content: [UInt8]

    /// - Parameter location: The URL that served it.
    package init(location: String, entityTag: String?, lastModified: String?, content: [UInt8]) {
        self.init(
            location: Digest(of: Array(location.utf8)),
            entityTag: entityTag,
            lastModified: lastModified,
            content: content
        )
    }

    init(location: Digest, entityTag: String?, lastModified: String?, content: [UInt8]) {
        self.location = location
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.content = content
    }

    /// Whether it came from this URL.
    package func isFrom(_ location: String) -> Bool { self.location == Digest(of: Array(location.utf8)) }
}

/// When something that couldn't be fetched is asked for again by the clock. A value type; safe to share between threads.
package struct FetchRetry: Equatable, Sendable {
    /// What was asked for.
    package enum Subject: Hashable, Sendable {
        /// The bundle's feed, by its URL.
        case feed(String)
        /// A release that the feed offers, by the digest of its archive, whatever was fetched of it.
        case release(Digest)

        /// What the catalog knows it by. No URL is a digest's 64 digits.
        var digest: Digest {
            switch self {
            case .feed(let url): Digest(of: Array(url.utf8))
            case .release(let archive): Digest(of: Array(archive.hex.utf8))
            }
        }
    }

    /// How many attempts have failed one after the other, 1 or more.
    package let failureCount: Int
    /// When the last one has failed.
    package let failedAt: Date
    /// When it is asked for again.
    package let nextAt: Date
    /// From the one to the other in seconds.
    package var pause: TimeInterval { nextAt.timeIntervalSince(failedAt) }

    package init(failureCount: Int, failedAt: Date, nextAt: Date) {
        self.failureCount = failureCount
        self.failedAt = failedAt
        self.nextAt = nextAt
    }
}

/// The feeds that the operator has chosen, the feeds as they were last received, and when what couldn't be fetched is asked for
/// again. One feed of each bundle is remembered, the one asked last, and what failed last.
extension Catalog {
    /// A recorded time that is later than now by more than this was written by a wrong clock (RFC 4120 §1.6).
    private static let clockTolerance: TimeInterval = 300
    /// A longer pause in seconds was written by nobody.
    private static let longestPause: TimeInterval = 25 * 3_600
    /// How much of a bundle is remembered that couldn't be fetched: its feed, the release that it offers, and earlier ones.
    private static let maximumRetryCount = 4

    /// - Parameter feed: The digest of the feed's URL.
    func feedCopy(of name: BundleName, feed: Digest) throws -> FeedCopy? {
        let row = try read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT * FROM feedCopy WHERE bundle = ? AND feed = ?",
                arguments: [name.string, feed.hex]
            )
        }
        return row.flatMap(FeedCopy.init)
    }

    func keep(_ copy: FeedCopy?, of name: BundleName, feed: Digest) throws {
        try write { database in
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
        try write { database in
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
        let row = try read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT * FROM feedRetry WHERE bundle = ? AND feed = ?",
                arguments: [name.string, subject.hex]
            )
        }
        guard let retry = row.flatMap(FetchRetry.init), retry.failedAt <= now + Self.clockTolerance,
            retry.nextAt <= retry.failedAt + Self.longestPause
        else { return nil }
        return retry
    }

    func record(_ retry: FetchRetry?, of name: BundleName, _ subject: Digest) throws {
        try write { database in
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
        guard let count = row.integer("failureCount", in: 1...Int64(Int32.max)),
            let failedAt = row.value("failedAt", as: Double.self), failedAt.isFinite,
            let nextAt = row.value("nextAt", as: Double.self), nextAt.isFinite
        else { return nil }
        self.init(
            failureCount: Int(count),
            failedAt: Date(timeIntervalSince1970: failedAt),
            nextAt: Date(timeIntervalSince1970: nextAt)
        )
    }
}
