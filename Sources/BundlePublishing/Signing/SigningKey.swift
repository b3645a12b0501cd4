import BundleStore
import Crypto
import Foundation

/// Makes signatures, with a private key that it has or that is in a key store.
protocol DocumentSigner: Sendable {
    /// What others may know of the key.
    var publicKey: PublishedKey { get }

    /// A signature in hexadecimal digits.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when it can't be made.
    func signature(of payload: [UInt8]) throws(BundleError) -> String
}

/// A private key of Ed25519 with which a publisher signs. A value type; safe to share between threads.
package struct SigningKey: DocumentSigner {
    private let privateKey: Curve25519.Signing.PrivateKey

    /// Makes a new key.
    package init() {
        privateKey = Curve25519.Signing.PrivateKey()
    }

    /// Nil unless `bytes` are the 32 of a private key.
    init?(bytes: some ContiguousBytes) {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes) else { return nil }
        privateKey = key
    }

    /// The 32 bytes that nobody else may know.
    var secret: Data { privateKey.rawRepresentation }

    /// What others may know of it.
    package var publicKey: PublishedKey { PublishedKey(privateKey.publicKey) }

    /// A signature in hexadecimal digits.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when the system has no random numbers.
    func signature(of payload: [UInt8]) throws(BundleError) -> String {
        do {
            return Hexadecimal.string(of: try privateKey.signature(for: payload))
        } catch {
            throw BundleError(.outputUnavailable, "the system can't sign; try again", cause: error)
        }
    }
}
