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
    let run: KeyStoreRun

    /// Names a folder.
    ///
    /// - Parameter run: Runs the command of a key in a key store.
    package init(
        _ path: String,
        now: @escaping @Sendable () -> Date = { Date() },
        running run: @escaping KeyStoreRun = Self.refuse
    ) {
        (self.path, self.now, self.run) = (path, now, run)
    }

    /// Runs no command.
    @Sendable package static func refuse(_: String, _: [UInt8], _ keyID: String) throws(BundleError) -> [UInt8] {
        throw BundleError(
            .invalidArgument,
            "the key \(keyID.prefix(8)) is in a key store, which this program doesn't ask"
        )
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
                "\(Printable.line(path)) has keys or a root already",
                .replaceKey
            )
        }
        try checkMode()
        var keys: [KeyRole: SigningKey] = [:]
        for role in KeyRole.allCases {
            let key = SigningKey()
            try KeyFile.write(key, for: role, passphrase: passphrase, in: path)
            keys[role] = key
        }
        let signers = [keys[.root]].compactMap(\.self).map { Signer(name: ExactString($0.publicKey.id), key: $0) }
        let root = RootDocument(first: keys.mapValues(\.publicKey), at: now())
        try write(MetadataDocument.encoded(root.signed, by: signers), version: 1)
    }

    /// Makes a key alone, whose public half others add to their root.
    ///
    /// - Throws: As ``initialize(passphrase:)``.
    func makeKey(for role: KeyRole, passphrase: [UInt8]?) throws(BundleError) {
        try makeFolder()
        let lock = try FolderLock(path)
        defer { withExtendedLifetime(lock) {} }
        try checkMode()
        try KeyFile.write(SigningKey(), for: role, passphrase: passphrase, in: path)
    }

    /// Whether there is no root, or no folder yet.
    func lacksRoots() throws(BundleError) -> Bool { try roots() == nil }

    /// The files with keys, sorted by their paths.
    ///
    /// - Throws: As ``KeyFile/init(_:)``; ``/BundleModel/BundleError`` with code `inputUnavailable` when the folder can't be read;
    ///   `invalidArgument` when others can read it.
    package func files() throws(BundleError) -> [KeyFile] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(KeyFile.suffix) }
        } catch {
            throw BundleError(
                .inputUnavailable,
                "the folder of the keys \(Printable.line(path)) can't be read; check its name and permissions",
                cause: error
            )
        }
        // A folder without keys is the wrong one, such as a web server's, which mustn't get another mode.
        if !names.isEmpty { try checkMode() }
        return try names.sorted().map { name throws(BundleError) in try KeyFile("\(path)/\(name)") }
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
        let (files, roots) = (try files(), try roots())
        let draft: RootDraft? = if let roots { try draft(after: roots) } else { nil }
        return try KeyOverview(path: path, files: files, roots: roots, draft: draft?.overview)
    }

    private func makeFolder() throws(BundleError) {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.makeFolder(path, mode: 0o700)
    }

    private func checkMode() throws(BundleError) {
        // A link to the folder is open to all, which says nothing of the folder.
        let folder = FileManager.realPath(path)
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder)
        guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 != 0 else { return }
        let name = Printable.line(path)
        throw BundleError(.invalidArgument, "other users can use the folder of the keys \(name); run “chmod 700” on it")
    }
}
