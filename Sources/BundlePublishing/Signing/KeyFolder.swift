import BundleModel
import BundleStore
import BundleTrust
import Foundation

/// A folder with a publisher's keys, and with the roots that they have signed. Nobody else may read it.
///
/// A value type; safe to share between threads. Two processes that change it take turns.
package struct KeyFolder: Sendable {
    /// The folder's path.
    package let path: String
    let now: @Sendable () -> Date

    /// Names a folder.
    package init(_ path: String, now: @escaping @Sendable () -> Date = { Date() }) {
        self.path = path
        self.now = now
    }

    /// Makes a key for each role, and the first root, in a folder that has none.
    ///
    /// - Parameter passphrase: Encrypts the keys; nil for keys that every program of this user can use.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the folder has keys already, or others can read it;
    ///   `outputUnavailable` when it can't be written.
    package func initialize(passphrase: [UInt8]?) throws(BundleError) {
        try makeFolder()
        let lock = try FolderLock(path)
        defer { withExtendedLifetime(lock) {} }
        guard try files().isEmpty, try roots() == nil else {
            throw BundleError(
                .invalidArgument,
                "\(Printable.line(path)) has keys already; name another folder, or replace a key with a rotation"
            )
        }
        var keys: [KeyRole: SigningKey] = [:]
        for role in KeyRole.allCases {
            let key = SigningKey()
            try KeyFile.write(key, for: role, passphrase: passphrase, in: path)
            keys[role] = key
        }
        let signers = [keys[.root]].compactMap(\.self).map { Signer(name: ExactString($0.publicKey.id), key: $0) }
        let root = RootDocument.first(keys.mapValues(\.publicKey), at: now())
        try write(MetadataDocument.encoded(root, by: signers), version: 1)
    }

    /// The files with keys, sorted by their paths.
    ///
    /// - Throws: As ``KeyFile/init(_:)``; ``/BundleModel/BundleError`` with code `inputUnavailable` when the folder can't be read;
    ///   `invalidArgument` when others can read it.
    package func files() throws(BundleError) -> [KeyFile] {
        try checkMode()
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw BundleError(
                .inputUnavailable,
                "the folder of the keys \(Printable.line(path)) can't be read; check its name and permissions",
                cause: error
            )
        }
        return try names.filter { $0.hasSuffix(KeyFile.suffix) }.sorted().map { name throws(BundleError) in
            try KeyFile("\(path)/\(name)")
        }
    }

    /// The roots that the keys have signed; nil in a folder that has only keys.
    ///
    /// - Throws: As ``RootChain/init(in:)``.
    func roots() throws(BundleError) -> RootChain? { try RootChain(in: path) }

    /// Keeps a root.
    func write(_ root: [UInt8], version: Int) throws(BundleError) {
        try StagedFile(for: "\(path)/\(RoleName.root.fileName(version: version))").publish(root)
    }

    /// What the folder has, for people.
    ///
    /// - Throws: As ``files()`` and ``RootChain/init(in:)``.
    package func overview() throws(BundleError) -> KeyOverview {
        KeyOverview(path: path, files: try files(), roots: try roots())
    }

    private func makeFolder() throws(BundleError) {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw BundleError(
                .outputUnavailable,
                "the folder \(Printable.line(path)) can't be made; check what is at its place, and the permissions",
                cause: error
            )
        }
    }

    private func checkMode() throws(BundleError) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 != 0 else { return }
        let name = Printable.line(path)
        throw BundleError(.invalidArgument, "other users can use the folder of the keys \(name); run “chmod 700” on it")
    }
}

/// What a folder has of keys. A value type; safe to share between threads.
package struct KeyOverview: Sendable {
    /// A key.
    package struct Key: Sendable {
        /// The file's path.
        package let path: String
        /// The key's name in documents.
        package let id: String
        /// What it may sign according to the latest root; empty for one that was replaced.
        package let roles: [KeyRole]
        /// Whether a passphrase is necessary.
        package let isEncrypted: Bool
    }

    /// The folder.
    package let path: String
    /// The keys, sorted by the paths of their files.
    package let keys: [Key]
    /// The digest of the first root, by which a device knows the feeds of these keys; nil without a root.
    package let firstRoot: Digest?
    /// The version of the latest root; nil without a root.
    package let rootVersion: Int?
    /// When the latest root's life is over; nil without a root.
    package let rootExpiry: Date?

    init(path: String, files: [KeyFile], roots: RootChain?) {
        self.path = path
        let latest = roots?.latest
        keys = files.map { file in
            let roles = KeyRole.allCases.filter { role in
                latest.map { role.authority(in: $0).keys.values.contains(file.publicKey.key) } ?? false
            }
            return Key(path: file.path, id: file.publicKey.id, roles: roles, isEncrypted: file.isEncrypted)
        }
        firstRoot = roots.flatMap(\.documents.first).map { Digest(of: $0) }
        rootVersion = latest?.version
        rootExpiry = latest?.expiry
    }
}
