import BundlePublishing
import BundleStore
import Foundation

/// The result of the verbs of `keys`.
struct KeysSummary: Report {
    struct Key: Encodable {
        let id: String
        let type: String
        /// Nil for a key whose file is elsewhere.
        let file: String?
        /// Empty for a key that was replaced.
        let roles: [String]
        let isEncrypted: Bool
        /// Whether a key store signs.
        let isInKeyStore: Bool
        /// The public half; nil for a key whose file is elsewhere.
        let publicKey: String?
    }

    struct Threshold: Encodable {
        let role: String
        /// How many of its keys must sign.
        let threshold: Int
        let keyCount: Int
    }

    struct Draft: Encodable {
        struct Missing: Encodable {
            /// How many more signatures are necessary.
            let count: Int
            /// Whether of the root keys that the draft brings, and not of those before it.
            let isOfNewKeys: Bool
            /// The ids of the keys that haven't signed.
            let keys: [String]
        }

        let version: Int
        let expiresAt: Date
        let changes: [String]
        let missing: [Missing]
    }

    struct Feed: Encodable {
        struct Archive: Encodable {
            let path: String
            let sha256: String?
        }

        let feed: String
        let signedUntil: Date
        /// Those that may be installed.
        let archives: [Archive]
    }

    let folder: String
    let keys: [Key]
    /// Nil without a root.
    let thresholds: [Threshold]?
    /// Of the first root; nil without one.
    let anchorSHA256: String?
    /// Of the latest root; nil without one.
    let rootVersion: Int?
    /// When the latest root's life is over; nil without one.
    let rootExpiresAt: Date?
    /// The next root, which lacks signatures; nil for none.
    let draft: Draft?
    /// The feeds that were signed again; nil for none.
    let feeds: [Feed]?

    init(_ overview: KeyOverview, _ rotated: [RotatedFeed] = []) {
        let feeds = rotated.map(Feed.init)
        self.feeds = feeds.isEmpty ? nil : feeds
        folder = overview.path
        keys = overview.keys.map(Key.init) + overview.otherKeys.map(Key.init)
        let roles = overview.roles.map {
            Threshold(role: $0.role.rawValue, threshold: $0.threshold, keyCount: $0.keyCount)
        }
        thresholds = roles.isEmpty ? nil : roles
        anchorSHA256 = overview.firstRoot?.hex
        rootVersion = overview.rootVersion
        rootExpiresAt = overview.rootExpiry
        draft = overview.draft.map(Draft.init)
    }

    var lines: [String] {
        guard !keys.isEmpty else {
            let folder = Printable.line(folder)
            return ["\(folder) has no keys; “bundlectl keys init --in \(folder)” makes some"]
        }
        let table = Table.lines(
            of: keys,
            [
                .left("ROLE") { $0.roles.isEmpty ? "none" : $0.roles.joined(separator: ", ") },
                .left("KEY") { Printable.line($0.id) }, .left("TYPE") { Printable.line($0.type) },
                .left("ENCRYPTED", \.protection), .left("FILE") { Printable.line($0.file ?? "elsewhere") },
            ]
        )
        var facts: [(String, String?)] = [("devices trust", anchorSHA256.map { "sha256:\($0)" })]
        facts += [
            ("root", rootVersion.map { "version \($0), good until \(rootExpiresAt.map(Timestamp.text) ?? "")" })
        ]
        facts += (thresholds ?? []).filter { $0.keyCount > 1 }.map {
            ("\($0.role) signatures", "\($0.threshold) of \($0.keyCount) keys")
        }
        // A key without a root is for the root of others, who need its public half.
        if rootVersion == nil { facts += keys.map { ("public half of \($0.id.prefix(8))", $0.publicKey) } }
        let list = KeyValueList.lines(facts)
        return table + (list.isEmpty ? [] : [""] + list) + (draft.map { [""] + $0.lines } ?? [])
            + (feeds ?? []).flatMap(\.lines)
    }
}

/// The result of `keys init`.
struct FirstKeysSummary: Report {
    let keys: KeysSummary

    func encode(to encoder: any Encoder) throws { try keys.encode(to: encoder) }

    var lines: [String] {
        let folder = Printable.line(keys.folder)
        return keys.lines + [
            "",
            "next: keep a copy of \(folder) elsewhere, and sign with “bundlectl publish ARCHIVE --to DIR --keys \(folder)”",
        ]
    }
}

extension KeysSummary.Key {
    init(_ key: KeyOverview.Key) {
        self.init(
            id: key.id,
            type: key.publicKey.type,
            file: key.path,
            roles: key.roles.map(\.rawValue),
            isEncrypted: key.isEncrypted,
            isInKeyStore: key.isInKeyStore,
            publicKey: key.publicKey.text
        )
    }

    init(_ key: KeyOverview.OtherKey) {
        self.init(
            id: key.id,
            type: key.type,
            file: nil,
            roles: key.roles.map(\.rawValue),
            isEncrypted: false,
            isInKeyStore: false,
            publicKey: nil
        )
    }

    fileprivate var protection: String {
        if file == nil { return "" }
        return isInKeyStore ? "key store" : isEncrypted ? "yes" : "no"
    }
}

extension KeysSummary.Draft {
    init(_ draft: DraftOverview) {
        version = draft.version
        expiresAt = draft.expiry
        changes = draft.changes
        missing = draft.missing.map { Missing(count: $0.count, isOfNewKeys: $0.isOfNewKeys, keys: $0.keys) }
    }

    /// What it changes, and who has to sign it yet.
    var lines: [String] {
        let signatures = missing.map { missing in
            "  \(missing.count) more of the root keys \(missing.isOfNewKeys ? "that it brings" : "before it") must sign: "
                + missing.keys.map { Printable.line($0) }.joined(separator: ", ")
        }
        return ["draft of version \(version) of the root, good until \(Timestamp.text(expiresAt)):"]
            + (changes.isEmpty ? ["  changes no keys"] : changes.map { "  \($0)" }) + signatures
    }
}

extension KeysSummary.Feed {
    fileprivate init(_ feed: RotatedFeed) {
        self.feed = feed.feedName
        signedUntil = feed.signedUntil
        archives = feed.archives.map { Archive(path: $0.path, sha256: $0.sha256) }
    }

    /// As sha256sum(1) reads them.
    fileprivate var lines: [String] {
        ["", "\(Printable.line(feed)) is signed until \(Timestamp.text(signedUntil)), and these may be installed:"]
            + archives.map { "\($0.sha256 ?? "-")  \(Printable.line($0.path))" }
    }
}
