import BundleStore
import Foundation

/// A file with a private key, or with the command by which a key store signs. Its public half can be read without the passphrase. A
/// value type; safe to share between threads.
package struct KeyFile: Sendable {
    private enum Secret {
        case plain(SigningKey)
        case sealed(SealedSecret)
        case stored(command: String)
    }

    static let suffix = ".key.json"
    static let maximumByteCount = 8_192

    /// The file's path.
    package let path: String
    /// What others may know of the key.
    package let publicKey: PublishedKey
    private let secret: Secret

    /// Whether a passphrase is necessary.
    package var isEncrypted: Bool { if case .sealed = secret { true } else { false } }

    /// Reads a file.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when it can't be read; `invalidArgument` when other users can
    ///   read it, or it isn't such a file.
    package init(_ path: String) throws(BundleError) {
        let file = try InputDocument(path, atMost: Self.maximumByteCount)
        let name = Printable.line(path)
        guard file.mode & 0o077 == 0 else {
            throw BundleError(
                .invalidArgument,
                "other users can read the key \(name); run “chmod 600” on it, or replace the key"
            )
        }
        let document = try JSONElement(
            parsing: file.bytes,
            named: name,
            maximumByteCount: Self.maximumByteCount,
            refusedAs: .invalidArgument
        )
        let text = try document.required("public")
        guard let publicKey = try PublishedKey(document, text: text) else {
            throw text.refused("isn't a key that can be used here")
        }
        self.path = path
        self.publicKey = publicKey
        secret = try Self.secret(document, of: publicKey)
        guard !isInKeyStore || [0, geteuid()].contains(file.owner) else {
            throw BundleError(
                .invalidArgument,
                "the key \(name) names a command, and belongs to another user, who could have any command run; run “chown” on it"
            )
        }
    }

    private static func secret(_ document: JSONElement, of publicKey: PublishedKey) throws(BundleError) -> Secret {
        if let sealed = try document.member("encrypted") { return .sealed(try SealedSecret(sealed)) }
        if let command = try document.member("command") { return .stored(command: try command.string()) }
        let text = try document.required("private")
        guard let key = Hexadecimal.bytes(of: try text.string()).flatMap({ SigningKey(bytes: $0) }),
            key.publicKey == publicKey
        else { throw text.refused("isn't the private half of the public key") }
        return .plain(key)
    }

    /// Whether a key store signs.
    package var isInKeyStore: Bool { if case .stored = secret { true } else { false } }

    /// The private key, or the one in a key store.
    ///
    /// - Parameters:
    ///   - run: Runs the command of a key store.
    ///   - passphrase: Asked for the passphrase of this file's key.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the passphrase is wrong; what `passphrase` throws.
    func key(running run: @escaping KeyStoreRun, passphrase: (KeyFile) throws -> [UInt8]) throws -> any DocumentSigner {
        switch secret {
        case .plain(let key): return key
        case .stored(let command): return StoredKey(publicKey: publicKey, command: command, run: run)
        case .sealed(let sealed):
            guard let bytes = sealed.secret(of: publicKey, passphrase: try passphrase(self)),
                let key = SigningKey(bytes: bytes), key.publicKey == publicKey
            else {
                throw BundleError(
                    .invalidArgument,
                    "the passphrase isn't that of \(Printable.line(path)); give the right one"
                )
            }
            return key
        }
    }

    /// Writes a key into a folder, durably and under a name that no other key has.
    ///
    /// - Parameter passphrase: Encrypts it; nil for a key that every program of this user can use.
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    static func write(_ key: SigningKey, for role: KeyRole, passphrase: [UInt8]?, in folder: String) throws(BundleError)
    {
        let publicKey = key.publicKey
        let secret: (String, JSONValue) =
            if let passphrase {
                ("encrypted", try SealedSecret(key.secret, of: publicKey, passphrase: passphrase).json)
            } else {
                ("private", .string(Hexadecimal.string(of: key.secret)))
            }
        try write(publicKey, secret, for: role, in: folder)
    }

    /// Writes how a key in a key store signs.
    ///
    /// - Throws: As ``write(_:for:passphrase:in:)``.
    static func write(_ key: PublishedKey, command: String, for role: KeyRole, in folder: String) throws(BundleError) {
        try write(key, ("command", .string(command)), for: role, in: folder)
    }

    private static func write(
        _ publicKey: PublishedKey,
        _ secret: (String, JSONValue),
        for role: KeyRole,
        in folder: String
    ) throws(BundleError) {
        let path = "\(folder)/\(role.rawValue)-\(publicKey.id.prefix(8))\(suffix)"
        let document = JSONValue.members(publicKey.members + [secret])
        let file = try StagedFile(for: path)
        // Staging is a folder of this user alone, so that the mode isn't late.
        let isWritten = FileManager.default.createFile(
            atPath: file.path,
            contents: Data(JSONWriter.bytes(of: document, .lines)),
            attributes: [.posixPermissions: 0o600]
        )
        guard isWritten, !FileManager.default.fileExists(atPath: path) else {
            throw BundleError(
                .outputUnavailable,
                "\(Printable.line(path)) can't be written; check the folder and its permissions"
            )
        }
        try file.publish()
    }
}

extension KeyFile {
    /// Checks that a folder of a feed has no keys: it is copied to web servers and sticks.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when it has some.
    static func checkAbsence(in folder: String) throws(BundleError) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard names.contains(where: { $0.hasSuffix(suffix) }) else { return }
        throw BundleError(
            .invalidArgument,
            "\(Printable.line(folder)) has keys, which no web server and no device may get; name another folder for the feed"
        )
    }
}
