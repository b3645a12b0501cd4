/// The first eight migrations of ``CatalogSchema``.
enum EarlierMigrations {
    static let version1 = """
        CREATE TABLE generation (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            value INTEGER NOT NULL
        );
        INSERT INTO generation VALUES (1, 0);

        CREATE TABLE release (
            id INTEGER PRIMARY KEY,
            bundle TEXT NOT NULL,
            version TEXT NOT NULL,
            manifest BLOB NOT NULL,
            indexFile TEXT NOT NULL UNIQUE,
            contentDigest TEXT NOT NULL,
            fileCount INTEGER NOT NULL,
            byteCount INTEGER NOT NULL,
            installedAt REAL NOT NULL,
            activatedAt REAL,
            -- Orders activations even when the clock goes backwards.
            activationNumber INTEGER,
            UNIQUE (bundle, version)
        );
        CREATE TABLE releaseSegment (
            release INTEGER NOT NULL REFERENCES release (id) ON DELETE CASCADE,
            segment TEXT NOT NULL,
            PRIMARY KEY (release, segment)
        ) WITHOUT ROWID;
        CREATE TABLE bundle (
            name TEXT PRIMARY KEY,
            active INTEGER REFERENCES release (id),
            -- After a rollback: versions up to this one are not taken again from the feed.
            heldVersion TEXT,
            checkedAt REAL,
            lastFailure TEXT
        ) WITHOUT ROWID;

        CREATE TABLE cachedResponse (
            id INTEGER PRIMARY KEY,
            url TEXT NOT NULL,
            bundle TEXT NOT NULL,
            version TEXT NOT NULL,
            metadata BLOB NOT NULL,
            body TEXT NOT NULL UNIQUE,
            byteCount INTEGER NOT NULL,
            storedAt REAL NOT NULL
        );
        CREATE INDEX cachedResponseByURL ON cachedResponse (url);
        CREATE INDEX cachedResponseByBundle ON cachedResponse (bundle, version);
        """

    static let version2 = """
        -- A pinned version is removed by nothing but a person.
        ALTER TABLE release ADD COLUMN isPinned INTEGER NOT NULL DEFAULT 0;
        -- How many bytes the store's files may have; without a row any number.
        CREATE TABLE quota (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            byteCount INTEGER NOT NULL
        );
        PRAGMA user_version = 2;
        """

    static let version3 = """
        -- What was kept without a digest can't be checked; its files are orphans now.
        DELETE FROM cachedResponse;
        -- SHA-256 of the body, 64 hexadecimal digits.
        ALTER TABLE cachedResponse ADD COLUMN digest TEXT NOT NULL DEFAULT '';
        PRAGMA user_version = 3;
        """

    static let version4 = """
        -- What the bundle's row had when the release was last activated, for the case that it is lost.
        ALTER TABLE release ADD COLUMN heldVersion TEXT;
        UPDATE release SET heldVersion = (SELECT heldVersion FROM bundle WHERE active = release.id);
        -- SHA-256 of the row's other columns, 64 hexadecimal digits.
        ALTER TABLE release ADD COLUMN rowDigest TEXT NOT NULL DEFAULT '';
        ALTER TABLE bundle ADD COLUMN rowDigest TEXT NOT NULL DEFAULT '';
        ALTER TABLE cachedResponse ADD COLUMN rowDigest TEXT NOT NULL DEFAULT '';
        ALTER TABLE quota ADD COLUMN rowDigest TEXT NOT NULL DEFAULT '';
        PRAGMA user_version = 4;
        """

    static let version5 = """
        -- Whose state browsers keep on the host of a bundle, also once that was removed.
        CREATE TABLE publisher (
            -- Empty in the row that says that names have been forgotten.
            name TEXT PRIMARY KEY NOT NULL,
            -- The hosts of the origins of the release that was activated last, sorted, one a line.
            authorities TEXT NOT NULL,
            -- What browsers are given that keep nothing of an earlier publisher; null while there has been none.
            mark TEXT,
            -- Orders the rows by when they were written.
            number INTEGER NOT NULL,
            -- SHA-256 of the row's other columns, 64 hexadecimal digits.
            rowDigest TEXT NOT NULL DEFAULT ''
        ) WITHOUT ROWID;
        PRAGMA user_version = 5;
        """

    static let version6 = """
        -- What was kept can be fetched again; its files are orphans now.
        DROP TABLE cachedResponse;
        CREATE TABLE cachedResponse (
            -- Grows with each response, and is never used again: the order in which responses are evicted.
            id INTEGER PRIMARY KEY,
            url TEXT NOT NULL,
            bundle TEXT NOT NULL,
            version TEXT NOT NULL,
            -- What is stored under one cache key for one version: 16 bytes of a SHA-256.
            key BLOB NOT NULL,
            -- The request fields that select among what is stored under a key, a digest of their values, and one of
            -- other values that select it too.
            selectors TEXT NOT NULL,
            selection INTEGER NOT NULL,
            alternative INTEGER,
            metadata BLOB NOT NULL,
            -- The length of the whole, and number, offset, length and SHA-256 of each part that is stored.
            parts BLOB NOT NULL,
            byteCount INTEGER NOT NULL,
            storedAt REAL NOT NULL,
            -- SHA-256 of the row's other columns, 64 hexadecimal digits.
            rowDigest TEXT NOT NULL DEFAULT ''
        );
        -- Look-ups read only this index and one row.
        CREATE INDEX cachedResponseByKey ON cachedResponse (key, selectors, selection, alternative);
        CREATE INDEX cachedResponseByBundle ON cachedResponse (bundle, version);
        -- The bytes of the parts, apart from the rows, which are read without them.
        CREATE TABLE cachedBody (
            -- The number of the response, times 128, and the number of the part.
            id INTEGER PRIMARY KEY,
            -- Null for a body in a file.
            content BLOB,
            file TEXT
        );
        CREATE UNIQUE INDEX cachedBodyByFile ON cachedBody (file) WHERE file IS NOT NULL;
        -- What can't be counted each time.
        CREATE TABLE cacheState (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            responseCount INTEGER NOT NULL,
            byteCount INTEGER NOT NULL,
            -- The highest number that a response has had.
            lastResponse INTEGER NOT NULL,
            -- Raised with each removal of what must not be used any more.
            removals INTEGER NOT NULL,
            -- Raised with each transaction that stores responses.
            insertions INTEGER NOT NULL
        );
        INSERT INTO cacheState VALUES (1, 0, 0, 0, 0, 0);
        CREATE TRIGGER cachedResponseAdded AFTER INSERT ON cachedResponse BEGIN
            UPDATE cacheState SET responseCount = responseCount + 1, byteCount = byteCount + NEW.byteCount;
        END;
        CREATE TRIGGER cachedResponseChanged AFTER UPDATE OF byteCount ON cachedResponse BEGIN
            UPDATE cacheState SET byteCount = byteCount - OLD.byteCount + NEW.byteCount;
        END;
        CREATE TRIGGER cachedResponseRemoved AFTER DELETE ON cachedResponse BEGIN
            UPDATE cacheState SET responseCount = responseCount - 1, byteCount = byteCount - OLD.byteCount;
            DELETE FROM cachedBody WHERE id BETWEEN OLD.id << 7 AND (OLD.id << 7) + 127;
        END;
        PRAGMA user_version = 6;
        """

    static let version7 = """
        -- How often something has happened in an hour or a day.
        CREATE TABLE statistic (
            -- Its beginning, a multiple of its length: 3,600 or 86,400 seconds.
            start INTEGER NOT NULL,
            seconds INTEGER NOT NULL,
            -- Empty for what no bundle covers.
            bundle TEXT NOT NULL,
            measure TEXT NOT NULL,
            value INTEGER NOT NULL,
            PRIMARY KEY (start, seconds, bundle, measure)
        ) WITHOUT ROWID;
        -- What has been asked for most on a day, and what was slowest.
        CREATE TABLE statisticLine (
            day INTEGER NOT NULL,
            bundle TEXT NOT NULL,
            list INTEGER NOT NULL,
            text TEXT NOT NULL,
            count INTEGER NOT NULL,
            milliseconds INTEGER NOT NULL,
            maximum INTEGER NOT NULL,
            PRIMARY KEY (day, bundle, list, text)
        ) WITHOUT ROWID;
        PRAGMA user_version = 7;
        """

    static let version8 = """
        -- What the operator has said of the link; without a row nothing.
        CREATE TABLE link (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            isMetered INTEGER NOT NULL
        );
        -- The last attempt to fetch a URL that a manifest names in “precache”.
        CREATE TABLE precache (
            bundle TEXT NOT NULL,
            version TEXT NOT NULL,
            url TEXT NOT NULL,
            triedAt REAL NOT NULL,
            -- Attempts that failed one after the other.
            failureCount INTEGER NOT NULL,
            -- Why the attempt failed; null when it succeeded.
            failure TEXT,
            -- Not tried before; null when it isn't tried again for this version.
            nextAt REAL,
            PRIMARY KEY (bundle, version, url)
        ) WITHOUT ROWID;
        CREATE TRIGGER precacheOfRemoved AFTER DELETE ON release BEGIN
            DELETE FROM precache WHERE bundle = OLD.bundle AND version = OLD.version;
        END;
        -- What an endpoint has seen of the origins.
        CREATE TABLE originState (
            origin TEXT PRIMARY KEY NOT NULL,
            -- closed, open, half-open
            state TEXT NOT NULL,
            -- When an origin that is out is asked again.
            nextTryAt REAL,
            failure TEXT,
            failedAt REAL,
            respondedAt REAL,
            responseCount INTEGER NOT NULL,
            failureCount INTEGER NOT NULL,
            -- The last outcomes, the latest last: statuses, and 0 for no response.
            recent TEXT NOT NULL,
            notedAt REAL NOT NULL
        ) WITHOUT ROWID;
        PRAGMA user_version = 8;
        """
}
