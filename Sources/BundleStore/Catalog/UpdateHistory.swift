import Foundation
import GRDB
import Synchronization

/// The journal: what was checked, chosen, fetched, installed and activated, and what was left again and why.
extension BundleStore {
    /// What has happened to a bundle, or to all bundles, the oldest first. It survives restarts, and goes with the bundle.
    /// The latest 200 events of each bundle are kept, of them 50 failures, and the latest 2,000 of all. A check or a choice that
    /// repeats the last one of its kind isn't recorded again, and neither is a failure before something has succeeded.
    ///
    /// - Parameter name: The bundle; nil for all.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when there is no such bundle,
    ///   `storeUnavailable` or `storeDamaged` when the store can't be read.
    public func history(of name: BundleName? = nil) throws -> [UpdateEvent] {
        if let name { _ = try bundle(name) }
        return try Self.accessing(path) { try catalog.events(of: name) }
    }

    /// The latest events of all bundles, the latest first.
    ///
    /// - Parameter count: How many at most.
    package func latestEvents(_ count: Int) throws -> [UpdateEvent] {
        try Self.accessing(path) { try catalog.latestEvents(count) }
    }

    /// The last event of a kind; nil when none is kept.
    ///
    /// - Parameter version: Its version; nil for any.
    package func lastEvent(
        _ kind: UpdateEvent.Kind,
        of name: BundleName,
        _ version: BundleVersion? = nil
    ) throws -> UpdateEvent? {
        try Self.accessing(path) { try catalog.lastEvent(kind, of: name, version) }
    }

    /// The number of the last event; 0 when none is kept. It differs from an earlier one when any process has recorded an
    /// event since.
    package func lastEventNumber() throws -> Int64 {
        try Self.accessing(path) { try catalog.lastEventNumber() }
    }

    /// The events of all bundles that are later than one, the oldest first.
    ///
    /// - Parameter number: The number of that event; 0 for all that are kept.
    package func events(after number: Int64) throws -> [UpdateEvent] {
        try Self.accessing(path) { try catalog.events(of: nil, after: number) }
    }

    /// The versions that were marked bad, and neither confirmed nor activated since, as far as the journal still tells.
    package func badVersions() throws -> [BundleName: Set<String>] {
        try Self.accessing(path) { try catalog.badVersions() }
    }

    /// Records an event, unless there are `count` of its kind and version.
    package func record(_ event: UpdateEvent, atMost count: Int) throws {
        try Self.accessing(path) { try catalog.record(event, atMost: count) }
    }

    /// Records an event, unless it repeats the last one; see ``history(of:)``.
    package func record(_ event: UpdateEvent) throws {
        try Self.accessing(path) { try catalog.record(event) }
    }

    /// Has a function called with each event that is recorded through this store, once it is durable, in order.
    ///
    /// - Parameter handler: Must return at once, and not use the store; nil for none.
    package func setEventHandler(_ handler: (@Sendable (UpdateEvent) -> Void)?) {
        catalog.eventHandler.withLock { $0 = handler }
    }
}

/// Something that has happened to a bundle: an entry of the store's journal, see ``BundleStore/history(of:)``.
///
/// A value type; safe to share between threads.
public struct UpdateEvent: Sendable, Hashable {
    /// What has happened. New cases may be added: have a default where you switch over it.
    public enum Kind: String, Sendable, CaseIterable {
        /// A feed was read.
        case checked
        /// A release was chosen; without a version, none is chosen any more.
        case decided
        /// What a release lacked was fetched.
        case fetched
        /// A release was installed.
        case installed
        /// A release has become active.
        case activated
        /// The active release was found to work.
        case confirmed
        /// A release was found not to work.
        case markedBad
        /// An earlier release has become active again.
        case rolledBack
        /// A release mustn't be used any more.
        case revoked
        /// A check or an update has failed.
        case failed
        /// Checks or updates succeed again, after one has failed.
        case recovered
        /// A page has reported an error.
        case reported
    }

    /// The longest ``detail`` in bytes of UTF-8; a longer one is cut.
    public static let maximumDetailByteCount = 512

    /// Counts the events of the store, and grows with each; 0 for one that isn't recorded yet.
    public let number: Int64
    /// What has happened.
    public let kind: Kind
    /// The bundle.
    public let bundle: BundleName
    /// When it happened.
    public let date: Date
    /// The version that it happened to; of ``Kind/checked`` the highest one in the channel. Nil when there is none.
    public let version: BundleVersion?
    /// The version that was active before; nil when there was none.
    public let previous: BundleVersion?
    /// Why it happened, or what else there is to say. It may come from a feed or a page: escape it before it is shown.
    public let detail: String?
    /// How an update is fetched: `archive`, for example. Nil for other events.
    public let plan: String?
    /// How many bytes were to be fetched; nil for other events.
    public let predictedByteCount: Int64?
    /// How many bytes were fetched; nil for other events.
    public let receivedByteCount: Int64?

    /// - Parameter detail: Cut when it is too long.
    package init(
        number: Int64 = 0,
        _ kind: Kind,
        _ bundle: BundleName,
        at date: Date,
        version: BundleVersion? = nil,
        previous: BundleVersion? = nil,
        detail: String? = nil,
        plan: String? = nil,
        predictedByteCount: Int64? = nil,
        receivedByteCount: Int64? = nil
    ) {
        (self.number, self.kind, self.bundle, self.date) = (number, kind, bundle, date)
        (self.version, self.previous) = (version, previous)
        self.detail = detail.map { Self.cut($0) }
        self.plan = plan
        (self.predictedByteCount, self.receivedByteCount) = (predictedByteCount, receivedByteCount)
    }

    /// Whether it says the same as another one, whenever that was.
    func repeats(_ other: UpdateEvent) -> Bool {
        (kind, bundle, version?.string, previous?.string, detail, plan)
            == (other.kind, other.bundle, other.version?.string, other.previous?.string, other.detail, other.plan)
            && (predictedByteCount, receivedByteCount) == (other.predictedByteCount, other.receivedByteCount)
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > maximumDetailByteCount else { return text }
        var (count, end) = (0, text.unicodeScalars.startIndex)
        while case let length = text.unicodeScalars[end].utf8.count, count + length <= maximumDetailByteCount {
            count += length
            end = text.unicodeScalars.index(after: end)
        }
        return String(text.unicodeScalars[..<end])
    }
}

extension UpdateEvent.Kind {
    /// Those of which only what differs from the last one is recorded, because they happen again and again; nil for one that
    /// is always recorded.
    var alternatives: [UpdateEvent.Kind]? {
        switch self {
        case .checked, .decided: [self]
        // A failure that comes back is news.
        case .failed: [.failed, .recovered]
        default: nil
        }
    }
}

extension UpdateEvent {
    /// Nil when a column has a value that this program never writes, such as a kind that only a newer one knows.
    init?(_ row: Row) {
        guard let kind = row.text("kind").flatMap(Kind.init),
            let bundle = row.text("bundle").flatMap({ BundleName($0) }),
            let number = row.integer("number", in: 1...Int64.max),
            let time = row.value("date", as: Double.self), time.isFinite
        else { return nil }
        self.init(
            number: number,
            kind,
            bundle,
            at: Date(timeIntervalSince1970: time),
            version: row.text("version").flatMap { BundleVersion($0) },
            previous: row.text("previous").flatMap { BundleVersion($0) },
            detail: row.text("detail"),
            plan: row.text("plan"),
            predictedByteCount: row.integer("predictedByteCount", in: 0...Int64.max),
            receivedByteCount: row.integer("receivedByteCount", in: 0...Int64.max)
        )
    }
}

/// The journal of what happens to bundles. It decides nothing, so its rows have no digests.
extension Catalog {
    /// How many failures of one bundle are kept, whose reasons may differ each time; how many events of it; and of all bundles.
    static let maximumEventCount = (ofFailures: 50, ofBundle: 200, inAll: 2_000)

    /// The events that are kept, the oldest first; those that can't be read are left out.
    ///
    /// - Parameters:
    ///   - name: Their bundle; nil for all.
    ///   - number: Only later ones.
    func events(of name: BundleName?, after number: Int64 = 0) throws -> [UpdateEvent] {
        try read { try Self.events(of: name, after: number, in: $0) }
    }

    static func events(of name: BundleName?, after number: Int64, in database: Database) throws -> [UpdateEvent] {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT * FROM updateEvent WHERE number > ? AND (bundle = ? OR ? IS NULL) ORDER BY number",
            arguments: [number, name?.string, name?.string]
        )
        return rows.compactMap(UpdateEvent.init)
    }

    /// The latest events, the latest first.
    func latestEvents(_ count: Int) throws -> [UpdateEvent] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT * FROM updateEvent ORDER BY number DESC LIMIT ?",
                arguments: [count]
            )
            .compactMap(UpdateEvent.init)
        }
    }

    /// Records an event, unless it repeats the last one; see ``UpdateEvent/Kind/alternatives``.
    func record(_ event: UpdateEvent) throws {
        // Most checks find nothing new, and mustn't cost a write.
        guard try read({ try !Self.isRepeated(event, in: $0) }) else { return }
        try write { try Self.record(event, in: $0) }
    }

    static func record(_ event: UpdateEvent, in database: Database) throws {
        guard try !isRepeated(event, in: database) else { return }
        try database.execute(
            sql: """
                INSERT INTO updateEvent
                (bundle, kind, date, version, previous, detail, plan, predictedByteCount, receivedByteCount)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                event.bundle.string, event.kind.rawValue, event.date.timeIntervalSince1970, event.version?.string,
                event.previous?.string, event.detail, event.plan, event.predictedByteCount, event.receivedByteCount,
            ]
        )
        try dropOldEvents(of: event.bundle, in: database)
    }

    /// Records an event, unless there are `count` of its kind and version.
    func record(_ event: UpdateEvent, atMost count: Int) throws {
        func isFull(_ database: Database) throws -> Bool {
            let sql = "SELECT count(*) FROM updateEvent WHERE bundle = ? AND kind = ? AND version IS ?"
            let arguments: StatementArguments = [event.bundle.string, event.kind.rawValue, event.version?.string]
            return try Int.fetchOne(database, sql: sql, arguments: arguments) ?? 0 >= count
        }
        guard try !read(isFull) else { return }
        try write { database in
            if try !isFull(database) { try Self.record(event, in: database) }
        }
    }

    /// The last event of a kind.
    ///
    /// - Parameter version: Its version; nil for any.
    func lastEvent(
        _ kind: UpdateEvent.Kind,
        of name: BundleName,
        _ version: BundleVersion? = nil
    ) throws -> UpdateEvent? {
        try read { try Self.lastEvent(kind, of: name, version, in: $0) }
    }

    private static func lastEvent(
        _ kind: UpdateEvent.Kind,
        of name: BundleName,
        _ version: BundleVersion? = nil,
        in database: Database
    ) throws -> UpdateEvent? {
        try Row.fetchOne(
            database,
            sql: """
                SELECT * FROM updateEvent WHERE bundle = ? AND kind = ? AND (version = ? OR ? IS NULL)
                ORDER BY number DESC LIMIT 1
                """,
            arguments: [name.string, kind.rawValue, version?.string, version?.string]
        ).flatMap(UpdateEvent.init)
    }

    /// The versions whose last verdict is that they are bad, by bundle.
    func badVersions() throws -> [BundleName: Set<String>] {
        let rows = try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT DISTINCT bundle, version FROM updateEvent AS verdict
                    WHERE kind = ? AND version IS NOT NULL AND NOT EXISTS (
                        SELECT 1 FROM updateEvent AS later
                        WHERE later.bundle = verdict.bundle AND later.version = verdict.version
                        AND later.number > verdict.number AND later.kind IN (?, ?, ?)
                    )
                    """,
                arguments: [
                    UpdateEvent.Kind.markedBad.rawValue, UpdateEvent.Kind.activated.rawValue,
                    UpdateEvent.Kind.rolledBack.rawValue, UpdateEvent.Kind.confirmed.rawValue,
                ]
            )
        }
        var versions: [BundleName: Set<String>] = [:]
        for row in rows {
            guard let name = row.text("bundle").flatMap({ BundleName($0) }), let version = row.text("version") else {
                continue
            }
            versions[name, default: []].insert(version)
        }
        return versions
    }

    /// The number of the last event; 0 when none is kept.
    func lastEventNumber() throws -> Int64 { try read(Self.lastEventNumber) }

    /// The number of the last event; 0 when none is kept.
    static func lastEventNumber(in database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT max(number) FROM updateEvent") ?? 0
    }

    private static func isRepeated(_ event: UpdateEvent, in database: Database) throws -> Bool {
        guard let kinds = event.kind.alternatives else { return false }
        let events = try kinds.compactMap { try lastEvent($0, of: event.bundle, in: database) }
        return events.max { $0.number < $1.number }.map(event.repeats) ?? false
    }

    private static func dropOldEvents(of name: BundleName, in database: Database) throws {
        let failed = UpdateEvent.Kind.failed.rawValue
        try database.execute(
            sql: """
                DELETE FROM updateEvent WHERE bundle = ? AND kind = ? AND number <= (
                    SELECT number FROM updateEvent WHERE bundle = ? AND kind = ? ORDER BY number DESC LIMIT 1 OFFSET ?
                )
                """,
            arguments: [name.string, failed, name.string, failed, maximumEventCount.ofFailures]
        )
        try database.execute(
            sql: """
                DELETE FROM updateEvent WHERE bundle = ? AND number <= (
                    SELECT number FROM updateEvent WHERE bundle = ? ORDER BY number DESC LIMIT 1 OFFSET ?
                )
                """,
            arguments: [name.string, name.string, maximumEventCount.ofBundle]
        )
        try database.execute(
            sql: """
                DELETE FROM updateEvent WHERE number <= (
                    SELECT number FROM updateEvent ORDER BY number DESC LIMIT 1 OFFSET ?
                )
                """,
            arguments: [maximumEventCount.inAll]
        )
    }
}
