import GRDB
import SystemPackage

/// The tables of the catalog, as numbered migrations: one that has shipped is never edited.
enum CatalogSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { try $0.execute(sql: EarlierMigrations.version1) }
        // Immediate checks cover only what the migration itself changes: existing bad references don't prevent a store
        // from being opened.
        for (number, sql) in zip(2..., laterVersions) {
            migrator.registerMigration("\(number)", foreignKeyChecks: .immediate) { database in
                try database.execute(sql: sql)
                try complete(number, in: database)
            }
        }
        return migrator
    }

    private static let laterVersions = [
        EarlierMigrations.version2, EarlierMigrations.version3, EarlierMigrations.version4, EarlierMigrations.version5,
        EarlierMigrations.version6, EarlierMigrations.version7, EarlierMigrations.version8,
        version9, version10, version11, version12, version13, version14, version15, version16,
        version17,
    ]

    /// Does what SQL can't do of a migration.
    private static func complete(_ number: Int, in database: Database) throws {
        switch number {
        case 4:
            // A later migration that adds a column to one of these tables has to do this again. The sixth drops all
            // cached responses.
            try DigestedTable.signAll([.release, .bundle, .quota], in: database)
        case 5: try enterPublishers(in: database)
        case 17: try FiguresTables.enterJournal(in: database)
        default: break
        }
    }

    /// Whether every migration has been applied. Reads only the database's header, because it is checked on every open.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when this program doesn't know one of the
    ///   migrations.
    static func isCurrent(_ database: Database, at path: FilePath) throws -> Bool {
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard version <= currentVersion else {
            throw BundleError(.storeUnavailable, "\(path) was written by a newer program", .updateProgram)
        }
        return version == currentVersion
    }

    /// The number of the last migration; each migration sets its number.
    static let currentVersion = 17

    /// The tables whose rows are dropped when their bundle has no release any more. What is trusted of its feed stays: whoever has
    /// a bundle removed and installed again must not become its publisher.
    static let tablesOfBundles = [
        "hold", "seenFeed", "failedRelease", "feedCopy", "feedRetry", "chosenFeed", "updateEvent",
        "updateTally", "feedContact",
    ]

    /// The tables whose rows are dropped when their release is removed.
    static let tablesOfReleases = [
        "pendingActivation", "probation", "withdrawal", "unconfirmedRelease", "leftRelease", "seed",
        "signedRelease",
    ]

    private static let version9 = """
        -- This store among all, for releases that are offered to a share of them; without a row none was needed yet.
        CREATE TABLE installation (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            -- 128 random bits, 32 hexadecimal digits.
            identifier TEXT NOT NULL
        );
        -- The bundles that updates leave as they are.
        CREATE TABLE hold (
            bundle TEXT PRIMARY KEY NOT NULL
        ) WITHOUT ROWID;
        -- The releases that a rollback has left, and that no later one leads to.
        CREATE TABLE leftRelease (
            bundle TEXT NOT NULL,
            version TEXT NOT NULL,
            PRIMARY KEY (bundle, version)
        ) WITHOUT ROWID;
        -- The highest sequence number that a feed has had.
        CREATE TABLE seenFeed (
            bundle TEXT NOT NULL,
            -- SHA-256 of the feed's URL, which may have a secret in it: 64 hexadecimal digits.
            feed TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            seenAt REAL NOT NULL,
            PRIMARY KEY (bundle, feed)
        ) WITHOUT ROWID;
        -- The archives that were fetched and can't be used.
        CREATE TABLE failedRelease (
            bundle TEXT NOT NULL,
            -- SHA-256 of the archive, 64 hexadecimal digits.
            digest TEXT NOT NULL,
            version TEXT NOT NULL,
            reason TEXT NOT NULL,
            failedAt REAL NOT NULL,
            PRIMARY KEY (bundle, digest)
        ) WITHOUT ROWID;
        PRAGMA user_version = 9;
        """

    /// What happens to a release once it is installed.
    private static let version10 = """
        -- What has become of checks and updates, the oldest first.
        CREATE TABLE updateEvent (
            -- Grows with each event, and is never used again.
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            bundle TEXT NOT NULL,
            kind TEXT NOT NULL,
            date REAL NOT NULL,
            version TEXT,
            -- The version that was active before.
            previous TEXT,
            detail TEXT,
            -- How an update was fetched, and how many bytes that was to take and took.
            plan TEXT,
            predictedByteCount INTEGER,
            receivedByteCount INTEGER
        );
        CREATE INDEX updateEventByBundle ON updateEvent (bundle, number);
        -- A release that is installed, and becomes active later.
        CREATE TABLE pendingActivation (
            bundle TEXT PRIMARY KEY NOT NULL,
            version TEXT NOT NULL,
            -- next-start, when-idle
            mode TEXT NOT NULL,
            since REAL NOT NULL
        ) WITHOUT ROWID;
        -- An active release that somebody has yet to confirm.
        CREATE TABLE probation (
            bundle TEXT PRIMARY KEY NOT NULL,
            version TEXT NOT NULL,
            -- What only its pages get: 32 hexadecimal digits.
            nonce TEXT NOT NULL,
            -- How often a server or an app has started with it.
            startCount INTEGER NOT NULL,
            -- When a page of it was loaded first.
            loadedAt REAL
        ) WITHOUT ROWID;
        -- The releases that were shipped with an app, which only a person removes.
        CREATE TABLE seed (
            bundle TEXT NOT NULL,
            version TEXT NOT NULL,
            PRIMARY KEY (bundle, version)
        ) WITHOUT ROWID;
        -- The active releases that mustn't be used any more.
        CREATE TABLE withdrawnRelease (
            bundle TEXT PRIMARY KEY NOT NULL,
            version TEXT NOT NULL,
            -- revoked, critical
            reason TEXT NOT NULL,
            -- The critical release that takes its place.
            successor TEXT,
            since REAL NOT NULL
        ) WITHOUT ROWID;
        PRAGMA user_version = 10;
        """

    private static let version11 = """
        -- The feeds as they were last received, with what their servers can be asked for changes by.
        CREATE TABLE feedCopy (
            bundle TEXT PRIMARY KEY NOT NULL,
            -- SHA-256 of the feed's URL, and of the one that served it: 64 hexadecimal digits.
            feed TEXT NOT NULL,
            location TEXT NOT NULL,
            entityTag TEXT,
            lastModified TEXT,
            -- SHA-256 of the content, 64 hexadecimal digits.
            digest TEXT NOT NULL,
            content BLOB NOT NULL
        );
        -- The feeds that the operator has chosen, in place of those that manifests name.
        CREATE TABLE chosenFeed (
            bundle TEXT PRIMARY KEY NOT NULL,
            url TEXT NOT NULL,
            -- Null for the channel that the manifest names.
            channel TEXT
        ) WITHOUT ROWID;
        -- The feeds that have failed, and when the clock asks them again.
        CREATE TABLE feedRetry (
            bundle TEXT PRIMARY KEY NOT NULL,
            feed TEXT NOT NULL,
            -- Requests that failed one after the other.
            failureCount INTEGER NOT NULL,
            failedAt REAL NOT NULL,
            nextAt REAL NOT NULL
        ) WITHOUT ROWID;
        PRAGMA user_version = 11;
        """

    /// Releases that mustn't be used may be retained ones too, and releases that were never confirmed are known after they
    /// were left.
    private static let version12 = """
        -- The releases that mustn't be used any more, by new pages or by those that are open on them.
        CREATE TABLE withdrawal (
            bundle TEXT NOT NULL,
            version TEXT NOT NULL,
            -- revoked, critical
            reason TEXT NOT NULL,
            -- The critical release that takes its place.
            successor TEXT,
            since REAL NOT NULL,
            PRIMARY KEY (bundle, version)
        ) WITHOUT ROWID;
        INSERT INTO withdrawal SELECT bundle, version, reason, successor, since FROM withdrawnRelease;
        DROP TABLE withdrawnRelease;
        -- The releases that ask for a confirmation and haven't got it, whether or not they are active.
        CREATE TABLE unconfirmedRelease (
            bundle TEXT NOT NULL,
            version TEXT NOT NULL,
            PRIMARY KEY (bundle, version)
        ) WITHOUT ROWID;
        INSERT INTO unconfirmedRelease SELECT bundle, version FROM probation;
        -- How many seconds since its first page a process has seen pass.
        ALTER TABLE probation ADD COLUMN observed REAL NOT NULL DEFAULT 0;
        PRAGMA user_version = 12;
        """

    /// The failures of a feed and of a release don't replace each other.
    private static let version13 = """
        ALTER TABLE feedRetry RENAME TO earlierRetry;
        -- The feeds and the releases that couldn't be fetched, and when the clock asks for them again.
        CREATE TABLE feedRetry (
            bundle TEXT NOT NULL,
            feed TEXT NOT NULL,
            -- Requests that failed one after the other.
            failureCount INTEGER NOT NULL,
            failedAt REAL NOT NULL,
            nextAt REAL NOT NULL,
            PRIMARY KEY (bundle, feed)
        ) WITHOUT ROWID;
        INSERT INTO feedRetry SELECT bundle, feed, failureCount, failedAt, nextAt FROM earlierRetry;
        DROP TABLE earlierRetry;
        PRAGMA user_version = 13;
        """

    private static let version14 = """
        -- The machine that the installation is on: ``MachineFingerprint``.
        ALTER TABLE installation ADD COLUMN machine TEXT;
        PRAGMA user_version = 14;
        """

    private static let version15 = """
        -- The bundles whose feeds have to be signed.
        CREATE TABLE trustAnchor (
            bundle TEXT PRIMARY KEY NOT NULL,
            -- SHA-256 of the root that was trusted first, 64 hexadecimal digits.
            digest TEXT NOT NULL,
            -- 1 if it was the first one that was seen, and nobody has given it.
            isPinned INTEGER NOT NULL,
            since REAL NOT NULL
        ) WITHOUT ROWID;
        -- What is trusted of these feeds, as it was received.
        CREATE TABLE trustedDocument (
            -- Grows with each row, to tell the oldest.
            id INTEGER PRIMARY KEY,
            bundle TEXT NOT NULL,
            -- The role: root.json, timestamp.json, snapshot.json, targets.json, or that of a delegated role.
            name TEXT NOT NULL,
            version INTEGER NOT NULL,
            -- SHA-256 of the content, 64 hexadecimal digits.
            digest TEXT NOT NULL,
            content BLOB NOT NULL,
            UNIQUE (bundle, name)
        );
        PRAGMA user_version = 15;
        """

    /// For whom releases are vouched, and which roots were trusted on the way.
    private static let version16 = """
        -- The installed releases that a publisher's release key vouches for.
        CREATE TABLE signedRelease (
            bundle TEXT NOT NULL,
            version TEXT NOT NULL,
            -- That of the release, which may be replaced by one with other content.
            contentDigest TEXT NOT NULL,
            -- SHA-256 of the root that the trust began with, 64 hexadecimal digits.
            root TEXT NOT NULL,
            -- SHA-256 over the release keys that vouched for it last, 64 hexadecimal digits.
            keys TEXT NOT NULL,
            PRIMARY KEY (bundle, version)
        ) WITHOUT ROWID;
        -- The roots that were trusted one after the other.
        CREATE TABLE trustedRoot (
            bundle TEXT NOT NULL,
            version INTEGER NOT NULL,
            -- SHA-256 of the root, 64 hexadecimal digits.
            digest TEXT NOT NULL,
            PRIMARY KEY (bundle, version)
        ) WITHOUT ROWID;
        INSERT INTO trustedRoot SELECT bundle, version, digest FROM trustedDocument WHERE name = 'root.json';
        -- By what signatures on feeds expire; without a row, by the machine's clock.
        CREATE TABLE trustClock (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            -- machine, none
            clock TEXT NOT NULL
        );
        PRAGMA user_version = 16;
        """

    /// What fleets are watched by.
    private static let version17 = """
        -- How often what has happened, also after the journal has dropped it.
        CREATE TABLE updateTally (
            bundle TEXT NOT NULL,
            -- Empty for what concerns none.
            version TEXT NOT NULL,
            -- activated, confirmed, markedBad, rolledBack.CAUSE, failed.REASON
            kind TEXT NOT NULL,
            count INTEGER NOT NULL,
            -- When it happened first.
            since REAL NOT NULL,
            PRIMARY KEY (bundle, version, kind)
        ) WITHOUT ROWID;
        -- What was heard of the feeds last.
        CREATE TABLE feedContact (
            bundle TEXT PRIMARY KEY NOT NULL,
            -- When a check or an update has succeeded.
            succeededAt REAL,
            -- The versions that are offered to this installation, the highest first, with a space between them.
            offered TEXT
        ) WITHOUT ROWID;
        PRAGMA user_version = 17;
        """

    /// Assumes that the state that browsers keep for each bundle comes from its active release's publisher.
    private static func enterPublishers(in database: Database) throws {
        let active = try Row.fetchAll(
            database,
            sql: "SELECT bundle.name, bundle.active FROM bundle JOIN release ON release.id = bundle.active"
        )
        for row in active {
            guard let name = row.text("name"), let release = row.value("active", as: Int64.self),
                let publisher = try PublisherTable.publisher(of: release, in: database)
            else { continue }
            try PublisherTable.write(publisher, of: name, mark: nil, in: database)
        }
    }
}
