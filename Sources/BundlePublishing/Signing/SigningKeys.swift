import BundleStore
import BundleTrust

/// The keys of a folder. They are opened when they are needed, so that a passphrase is asked for once, and only if it must be.
///
/// Not thread-safe.
package final class SigningKeys {
    /// The folder's roots; nil when it has keys alone, as that of a server.
    let roots: RootChain?
    /// The folder's path.
    let folder: String

    private let files: [KeyFile]
    private let passphrase: (KeyFile) throws -> [UInt8]
    private var opened: [PublishedKey: SigningKey] = [:]
    /// Tried first, since most folders have one passphrase.
    private var enteredPassphrase: [UInt8]?
    /// Those that aren't in a file yet.
    private var added: [SigningKey] = []

    /// Reads the folder, and opens no key yet.
    ///
    /// - Parameter passphrase: Asked for the passphrase of an encrypted key.
    /// - Throws: As ``KeyFolder/files()`` and ``RootChain/init(in:)``.
    package init(_ folder: KeyFolder, passphrase: @escaping (KeyFile) throws -> [UInt8]) throws(BundleError) {
        self.folder = folder.path
        self.passphrase = passphrase
        files = try folder.files()
        roots = try folder.roots()
    }

    /// As many keys of a role as have to sign for it.
    ///
    /// - Parameter authority: Who may sign.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the folder has too few of them, or the passphrase is wrong.
    func signers(for role: KeyRole, by authority: RoleAuthority) throws -> [Signer] {
        func name(_ key: PublishedKey) -> ExactString? { authority.keys.first { $0.value == key.key }?.key }
        var signers = added.compactMap { key in name(key.publicKey).map { Signer(name: $0, key: key) } }
        for file in files where signers.count < authority.threshold {
            guard let name = name(file.publicKey) else { continue }
            signers.append(Signer(name: name, key: try key(of: file)))
        }
        guard signers.count >= authority.threshold else {
            throw BundleError(
                .invalidArgument,
                "\(Printable.line(folder)) lacks the \(role.rawValue) key of this feed; name the folder that has it, or sign where "
                    + "it is"
            )
        }
        return signers
    }

    /// Adds a key that isn't in a file yet.
    func add(_ key: SigningKey) { added.append(key) }

    /// Whether any key of the folder is encrypted.
    var hasEncryptedFiles: Bool { files.contains(where: \.isEncrypted) }

    /// The files with keys that a role has.
    func files(of role: KeyRole, in root: RootContent) -> [KeyFile] {
        files.filter { role.authority(in: root).keys.values.contains($0.publicKey.key) }
    }

    private func key(of file: KeyFile) throws -> SigningKey {
        if let key = opened[file.publicKey] { return key }
        let key =
            try keyWithSamePassphrase(of: file)
            ?? file.key { file in
                let entered = try passphrase(file)
                enteredPassphrase = entered
                return entered
            }
        opened[file.publicKey] = key
        return key
    }

    private func keyWithSamePassphrase(of file: KeyFile) -> SigningKey? {
        enteredPassphrase.flatMap { passphrase in try? file.key { _ in passphrase } }
    }
}
