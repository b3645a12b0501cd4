import BundleStore
import BundleTrust
import Crypto
import Foundation

/// A private key of Ed25519 with which a publisher signs. A value type; safe to share between threads.
package struct SigningKey: Sendable {
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

/// A public key as documents have it. A value type; safe to share between threads.
package struct PublishedKey: Hashable, Sendable {
    static let type = "ed25519"

    /// The 32 bytes in hexadecimal digits.
    let text: String
    /// The key, for comparing it with those that a document names.
    let key: PublicKey

    fileprivate init(_ key: Curve25519.Signing.PublicKey) {
        text = Hexadecimal.string(of: key.rawRepresentation)
        self.key = .ed25519(key)
    }

    /// Nil when the text isn't one of a key.
    init?(_ text: String) {
        guard let key = PublicKey(type: Self.type, scheme: Self.type, text) else { return nil }
        self.text = text
        self.key = key
    }

    /// The key as a member of `keys` (specification 4.2).
    var json: JSONValue {
        .members([
            ("keytype", .string(Self.type)), ("scheme", .string(Self.type)),
            ("keyval", .members([("public", .string(text))])),
        ])
    }

    /// The key's name in documents: the SHA-256 of its canonical form, as other publishers' tools make it.
    package var id: String {
        // It has no numbers, and with them no error.
        Digest(of: (try? CanonicalJSON.bytes(of: json)) ?? []).hex
    }
}

extension JSONValue {
    /// An object with these members.
    static func members(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map(JSONObject.Member.init)))
    }

    /// An integer.
    static func integer(_ value: some BinaryInteger) -> JSONValue { .number(JSONNumber(Int64(value))) }
}
