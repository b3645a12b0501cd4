import BundleModel
import BundleStore
import BundleTrust
import Foundation

/// What a folder has of keys. A value type; safe to share between threads.
package struct KeyOverview: Sendable {
    /// A key.
    package struct Key: Sendable {
        /// The file's path.
        package let path: String
        /// The public half.
        package let publicKey: PublishedKey
        /// What it may sign according to the latest root; empty for one that was replaced.
        package let roles: [KeyRole]
        /// Whether a passphrase is necessary.
        package let isEncrypted: Bool
        /// Whether a key store signs.
        package let isInKeyStore: Bool

        /// The key's name in documents.
        package var id: String { publicKey.id }
    }

    /// A key of the latest root whose file is elsewhere.
    package struct OtherKey: Sendable {
        /// By what people tell it from others.
        package let id: String
        /// The kind, such as `ed25519`.
        package let type: String
        /// What it may sign.
        package let roles: [KeyRole]
    }

    /// A role of the latest root.
    package struct Role: Sendable {
        package let role: KeyRole
        /// How many of its keys must sign.
        package let threshold: Int
        /// How many it has.
        package let keyCount: Int
    }

    /// The folder.
    package let path: String
    /// The keys, sorted by the paths of their files.
    package let keys: [Key]
    /// The other keys of the latest root.
    package let otherKeys: [OtherKey]
    /// The roles; empty without a root.
    package let roles: [Role]
    /// The digest of the first root, by which a device knows the feeds of these keys; nil without a root.
    package let firstRoot: Digest?
    /// The version of the latest root; nil without a root.
    package let rootVersion: Int?
    /// When the latest root's life is over; nil without a root.
    package let rootExpiry: Date?
    /// The next root, which lacks signatures; nil for none.
    package let draft: DraftOverview?

    /// - Throws: As ``RootChain/latestDocument()``.
    init(path: String, files: [KeyFile], roots: RootChain?, draft: DraftOverview?) throws(BundleError) {
        (self.path, self.draft) = (path, draft)
        let document = try roots?.latestDocument()
        let known = KeyRole.allCases.flatMap { role in
            role.documentRoles.flatMap { document?.keys(of: $0) ?? [] }.map { (role: role, key: $0) }
        }
        func roles(_ isSame: (RootKey) -> Bool) -> [KeyRole] {
            KeyRole.allCases.filter { role in known.contains { $0.role == role && isSame($0.key) } }
        }
        keys = files.map { file in
            Key(
                path: file.path,
                publicKey: file.publicKey,
                roles: roles { $0.key == file.publicKey },
                isEncrypted: file.isEncrypted,
                isInKeyStore: file.isInKeyStore
            )
        }
        let own = Set(files.map(\.publicKey))
        var others: [OtherKey] = []
        for key in known.map(\.key) where key.key.map({ !own.contains($0) }) ?? true {
            guard !others.contains(where: { $0.id == key.id }) else { continue }
            others.append(OtherKey(id: key.id, type: key.type, roles: roles { $0.id == key.id }))
        }
        otherKeys = others
        let latest = roots?.latest
        self.roles = KeyRole.allCases.compactMap { role in
            latest.map { role.authority(in: $0) }.map {
                Role(role: role, threshold: $0.threshold, keyCount: Set($0.keys.values).count)
            }
        }
        firstRoot = roots.flatMap(\.documents.first).map { Digest(of: $0) }
        rootVersion = latest?.version
        rootExpiry = latest?.expiry
    }
}
