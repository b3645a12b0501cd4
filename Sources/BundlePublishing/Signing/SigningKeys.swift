import BundleStore
import BundleTrust

/// The keys of a folder. They are opened when they are needed, so that a passphrase is asked for once, and only if it must be.
///
/// Not thread-safe.
package final class SigningKeys {
    /// The folder's roots; nil when it has keys alone.
    let roots: RootChain?
    let folder: KeyFolder
    private let files: [KeyFile]
    private let passphrase: (KeyFile) throws -> [UInt8]
    private var opened: [PublishedKey: any DocumentSigner] = [:]
    /// Tried first, since most folders have one passphrase.
    private var enteredPassphrase: [UInt8]?
    /// Those that aren't in a file yet.
    private var added: [any DocumentSigner] = []

    /// Reads the folder, and opens no key yet.
    ///
    /// - Parameter passphrase: Asked for the passphrase of an encrypted key.
    /// - Throws: As ``KeyFolder/files()`` and ``RootChain/init(in:)``.
    package init(_ folder: KeyFolder, passphrase: @escaping (KeyFile) throws -> [UInt8]) throws(BundleError) {
        self.folder = folder
        self.passphrase = passphrase
        files = try folder.files()
        roots = try folder.roots()
    }

    /// The folder's roots, without which nothing is signed: a root that is only beside a feed may be anybody's who writes there.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when it has none.
    func requiredRoots() throws(BundleError) -> RootChain {
        guard let roots else {
            throw BundleError(
                .invalidArgument,
                "\(Printable.line(folder.path)) has no root; give the folder in which the keys were made, or copy its roots there"
            )
        }
        return roots
    }

    /// As many keys of a role as have to sign for it.
    ///
    /// - Parameter authority: Who may sign.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the folder has too few of them, or the passphrase is wrong.
    func signers(for role: KeyRole, by authority: RoleAuthority) throws -> [Signer] {
        let signers = try signers(by: authority, besides: [], atMost: authority.threshold)
        guard signers.count >= authority.threshold else {
            throw lacking(role, found: signers.count, of: authority.threshold)
        }
        return signers
    }

    /// The keys of a role that the folder has.
    ///
    /// - Parameters:
    ///   - authority: Who may sign.
    ///   - others: Keys that have signed already.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the passphrase is wrong.
    func signers(by authority: RoleAuthority, besides others: Set<PublicKey>, atMost count: Int) throws -> [Signer] {
        var signers: [Signer] = []
        var taken = others
        func isWanted(_ key: PublishedKey) -> ExactString? {
            guard signers.count < count, !taken.contains(key.key) else { return nil }
            return authority.keys.filter { $0.value == key.key }.keys.min()
        }
        func take(_ key: any DocumentSigner, _ name: ExactString) {
            taken.insert(key.publicKey.key)
            signers.append(Signer(name: name, key: key))
        }
        for key in added { if let name = isWanted(key.publicKey) { take(key, name) } }
        for file in files { if let name = isWanted(file.publicKey) { take(try key(of: file), name) } }
        return signers
    }

    /// An error about keys that the folder lacks.
    func lacking(_ role: KeyRole, found count: Int, of threshold: Int) -> BundleError {
        let name = Printable.line(folder.path)
        return BundleError(
            .invalidArgument,
            threshold == 1
                ? "\(name) lacks the \(role.rawValue) key of this feed; name the folder that has it, or sign where it is"
                : "\(name) has \(count) of the \(role.rawValue) keys of this feed, and \(threshold) must sign; copy the files of others there, "
                    + "or have a key store sign with them"
        )
    }

    /// Whether the folder has as many keys of a role as have to sign for it.
    func suffice(for authority: RoleAuthority) -> Bool {
        Set(files.map(\.publicKey.key)).intersection(authority.keys.values).count >= authority.threshold
    }

    /// Adds a key that isn't in a file yet.
    func add(_ key: any DocumentSigner) { added.append(key) }

    /// Whether any key of the folder is encrypted.
    var hasEncryptedFiles: Bool { files.contains(where: \.isEncrypted) }

    /// The files with keys that a role has.
    func files(of role: KeyRole, in root: RootContent) -> [KeyFile] {
        files.filter { role.authority(in: root).keys.values.contains($0.publicKey.key) }
    }

    private func key(of file: KeyFile) throws -> any DocumentSigner {
        if let key = opened[file.publicKey] { return key }
        let key =
            try keyWithSamePassphrase(of: file)
            ?? file.key(running: folder.run) { file in
                let entered = try passphrase(file)
                enteredPassphrase = entered
                return entered
            }
        opened[file.publicKey] = key
        return key
    }

    private func keyWithSamePassphrase(of file: KeyFile) -> (any DocumentSigner)? {
        enteredPassphrase.flatMap { passphrase in try? file.key(running: folder.run) { _ in passphrase } }
    }
}
