import BundleStore
import Crypto
import CryptoExtras
import Foundation

/// The bytes of a private key, encrypted with a passphrase: AES-GCM with a key that scrypt derives (RFC 7914). A value type; safe to
/// share between threads.
struct SealedSecret: Sendable {
    /// What deriving the key costs: about 128 MiB, and half a second.
    private static let rounds = 1 << 17
    private static let blockSize = 8
    /// A file may not make the program take more memory than this many times the own cost.
    private static let maximumRounds = 1 << 20
    private static let saltByteCount = 16
    private static let keyByteCount = 32

    private let rounds: Int
    private let salt: [UInt8]
    private let box: AES.GCM.SealedBox

    /// Encrypts a secret.
    ///
    /// - Parameter publicKey: What the secret belongs to, so that no other one can be put in its place.
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when there isn't enough memory.
    init(_ secret: Data, of publicKey: PublishedKey, passphrase: [UInt8]) throws(BundleError) {
        rounds = Self.rounds
        var generator = SystemRandomNumberGenerator()
        salt = (0..<Self.saltByteCount).map { _ in .random(in: 0 ... .max, using: &generator) }
        do {
            let key = try Self.key(passphrase, salt, rounds)
            box = try AES.GCM.seal(secret, using: key, authenticating: Array(publicKey.text.utf8))
        } catch {
            throw BundleError(.outputUnavailable, "the key can't be encrypted; free some memory", cause: error)
        }
    }

    /// Reads what ``json`` has written.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with the document's code when a member is missing or wrong.
    init(_ element: JSONElement) throws(BundleError) {
        let rounds = try element.required("n")
        guard case .number(let number) = rounds.value, let count = number.int64,
            (2...Int64(Self.maximumRounds)).contains(count), count & (count - 1) == 0
        else { throw rounds.refused("must be a power of two up to \(Self.maximumRounds)") }
        self.rounds = Int(count)
        let (salt, box) = (try element.required("salt"), try element.required("box"))
        guard let bytes = Hexadecimal.bytes(of: try salt.string()) else { throw salt.mismatch("hexadecimal digits") }
        self.salt = bytes
        guard let combined = Hexadecimal.bytes(of: try box.string()),
            let sealed = try? AES.GCM.SealedBox(combined: combined)
        else { throw box.mismatch("hexadecimal digits of an encrypted key") }
        self.box = sealed
    }

    /// The secret; nil with another passphrase.
    func secret(of publicKey: PublishedKey, passphrase: [UInt8]) -> Data? {
        guard let key = try? Self.key(passphrase, salt, rounds) else { return nil }
        return try? AES.GCM.open(box, using: key, authenticating: Array(publicKey.text.utf8))
    }

    /// The parameters and the encrypted bytes.
    var json: JSONValue {
        .members([
            ("kdf", .string("scrypt")), ("n", .integer(rounds)), ("r", .integer(Self.blockSize)), ("p", .integer(1)),
            ("salt", .string(Hexadecimal.string(of: salt))), ("cipher", .string("aes-256-gcm")),
            ("box", .string(Hexadecimal.string(of: box.combined ?? Data()))),
        ])
    }

    private static func key(_ passphrase: [UInt8], _ salt: [UInt8], _ rounds: Int) throws -> SymmetricKey {
        try KDF.Scrypt.deriveKey(
            from: passphrase,
            salt: salt,
            outputByteCount: keyByteCount,
            rounds: rounds,
            blockSize: blockSize,
            parallelism: 1
        )
    }
}
