extension CatalogSchema {
    /// What happens to a release once it is installed.
    static let version10 = """
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

    /// Releases that mustn't be used may be retained ones too, and releases that were never confirmed are known after they
    /// were left.
    static let version12 = """
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
    static let version13 = """
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
}
