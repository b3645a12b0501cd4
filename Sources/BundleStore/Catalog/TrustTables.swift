import Foundation
import GRDB

/// The tables `trustAnchor`, `trustedDocument`, `trustedRoot`, `signedRelease` and `trustClock`: which feeds have to be signed, what is
/// trusted of them, which releases are vouched for, and by which clock trust expires.
///
/// A root that can't be read doesn't count as none, since any feed would be taken then. Another document that can't be read is
/// received again.
struct TrustTables {
    let connection: CatalogConnection

    /// How many documents of delegated roles are kept of a feed: as many as one search visits.
    private static let maximumDelegatedCount = 32

    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when there is one, and it can't be read.
    func anchor(of name: BundleName) throws -> TrustAnchor? {
        try connection.read { try Self.anchor(of: name, in: $0) }
    }

    /// - Throws: As ``anchor(of:)``.
    func anchors() throws -> [BundleName: TrustAnchor] {
        try connection.read { database in
            let texts = try String.fetchAll(database, sql: "SELECT bundle FROM trustAnchor")
            return try texts.compactMap { BundleName($0) }.reduce(into: [:]) { anchors, name in
                anchors[name] = try Self.anchor(of: name, in: database)
            }
        }
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` for a root that is there, and can't be read.
    func document(_ document: String, of name: BundleName) throws -> TrustedDocument? {
        try connection.read { try Self.document(document, of: name, in: $0) }
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when there is another anchor.
    func insert(_ anchor: TrustAnchor, of name: BundleName, _ documents: [TrustedDocument]) throws {
        try connection.write { database in
            if let present = try Self.anchor(of: name, in: database) {
                // Another process was faster, and may have followed the feed further.
                guard present.digest == anchor.digest else { throw Self.changed(name) }
                return
            }
            try database.execute(
                sql: "INSERT INTO trustAnchor VALUES (?, ?, ?, ?)",
                arguments: [name.string, anchor.digest.hex, anchor.isPinned, anchor.date.timeIntervalSince1970]
            )
            for document in documents { try Self.write(document, of: name, in: database) }
        }
    }

    /// A row that can't be read counts as none.
    func roots(of name: BundleName) throws -> [Int64: Digest] {
        try connection.read { database in
            let sql = "SELECT * FROM trustedRoot WHERE bundle = ?"
            return try Row.fetchAll(database, sql: sql, arguments: [name.string]).reduce(into: [:]) { roots, row in
                guard let version = row.integer("version", in: 1...Int64.max) else { return }
                roots[version] = row.text("digest").flatMap { Digest(hex: $0) }
            }
        }
    }

    /// Only for a release that is in the catalog as it is here, and while its bundle has the anchor.
    func recordSigner(_ root: Digest, by keys: Digest, of release: Release) throws {
        try connection.change { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO signedRelease (bundle, version, contentDigest, root, keys)
                    SELECT release.bundle, release.version, release.contentDigest, trustAnchor.digest, ?
                    FROM release JOIN trustAnchor ON trustAnchor.bundle = release.bundle
                    WHERE release.bundle = ? AND release.version = ? AND contentDigest = ? AND digest = ?
                    """,
                arguments: [keys.hex, release.name.string, release.version.string, release.contentDigest.hex, root.hex]
            )
        }
    }

    /// - Returns: Whether there was one.
    func remove(of name: BundleName) throws -> Bool {
        try connection.change { database in
            for table in ["trustedDocument", "trustedRoot", "signedRelease"] {
                try database.execute(sql: "DELETE FROM \(table) WHERE bundle = ?", arguments: [name.string])
            }
            try database.execute(sql: "DELETE FROM trustAnchor WHERE bundle = ?", arguments: [name.string])
            return database.changesCount > 0
        }
    }

    /// - Parameters:
    ///   - anchor: The anchor that the document was trusted by.
    ///   - root: The version of the root that it was trusted by.
    ///   - others: The names of the documents to drop.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when another process has changed what is trusted, so that
    ///   something would go back.
    func keep(
        _ document: TrustedDocument,
        of name: BundleName,
        by anchor: Digest,
        root: Int64,
        dropping others: [String]
    ) throws {
        try connection.write { database in
            guard try Self.anchor(of: name, in: database)?.digest == anchor,
                try Self.document(TrustedDocument.root, of: name, in: database)?.version == root,
                try Self.mayReplace(document, of: name, root, in: database)
            else { throw Self.changed(name) }
            for other in others {
                try database.execute(
                    sql: "DELETE FROM trustedDocument WHERE bundle = ? AND name = ?",
                    arguments: [name.string, other]
                )
            }
            try Self.write(document, of: name, in: database)
            try Self.dropOldest(of: name, in: database)
        }
    }

    /// A value of another kind counts as none.
    func clock() throws -> TrustClock {
        try connection.read { database in
            let row = try Row.fetchOne(database, sql: "SELECT clock FROM trustClock WHERE only = 1")
            return row?.text("clock").flatMap(TrustClock.init) ?? .machine
        }
    }

    func setClock(_ clock: TrustClock) throws {
        try connection.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO trustClock (only, clock) VALUES (1, ?)",
                arguments: [clock.rawValue]
            )
        }
    }

    private static func mayReplace(
        _ new: TrustedDocument,
        of name: BundleName,
        _ root: Int64,
        in database: Database
    ) throws -> Bool {
        if new.name == TrustedDocument.root { return new.version - 1 == root }
        guard TrustedDocument.ordered.contains(new.name) else { return true }
        return try document(new.name, of: name, in: database).map { $0.version <= new.version } ?? true
    }

    private static func write(_ document: TrustedDocument, of name: BundleName, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO trustedDocument (bundle, name, version, digest, content) VALUES (?, ?, ?, ?, ?)
                """,
            arguments: [
                name.string, document.name, document.version, Digest(of: document.content).hex, Data(document.content),
            ]
        )
        guard document.name == TrustedDocument.root else { return }
        try database.execute(
            sql: "INSERT OR REPLACE INTO trustedRoot (bundle, version, digest) VALUES (?, ?, ?)",
            arguments: [name.string, document.version, Digest(of: document.content).hex]
        )
    }

    private static func dropOldest(of name: BundleName, in database: Database) throws {
        let names = TrustedDocument.undelegated.map { "'\($0)'" }.joined(separator: ", ")
        try database.execute(
            sql: """
                DELETE FROM trustedDocument WHERE id IN (
                    SELECT id FROM trustedDocument WHERE bundle = ? AND name NOT IN (\(names))
                    ORDER BY id DESC LIMIT -1 OFFSET \(maximumDelegatedCount)
                )
                """,
            arguments: [name.string]
        )
    }

    private static func anchor(of name: BundleName, in database: Database) throws -> TrustAnchor? {
        let row = try Row.fetchOne(
            database,
            sql: "SELECT * FROM trustAnchor WHERE bundle = ?",
            arguments: [name.string]
        )
        guard let row else { return nil }
        guard let digest = row.text("digest").flatMap({ Digest(hex: $0) }), let date = row.date("since"),
            let isPinned = row.integer("isPinned", in: 0...1)
        else { throw damaged(name) }
        return TrustAnchor(digest, isPinned: isPinned == 1, since: date)
    }

    private static func document(
        _ document: String,
        of name: BundleName,
        in database: Database
    ) throws -> TrustedDocument? {
        let row = try Row.fetchOne(
            database,
            sql: "SELECT * FROM trustedDocument WHERE bundle = ? AND name = ?",
            arguments: [name.string, document]
        )
        guard let row else { return nil }
        guard let version = row.integer("version", in: 1...Int64.max),
            let content = row.value("content", as: Data.self).map(Array.init),
            row.text("digest") == Digest(of: content).hex
        else {
            guard document != TrustedDocument.root else { throw damaged(name) }
            return nil
        }
        return TrustedDocument(document, version: version, content)
    }

    private static func damaged(_ name: BundleName) -> BundleError {
        BundleError(
            .storeDamaged,
            "what the store has of the root by which the feed of \(name) is trusted is damaged; end the trust in it, and give the "
                + "publisher's root again"
        )
    }

    private static func changed(_ name: BundleName) -> BundleError {
        BundleError(.storeBusy, "what is trusted of the feed of \(name) was changed by another process", .wait)
    }
}
