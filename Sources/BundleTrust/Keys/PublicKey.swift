import BundleModel
import Crypto
import Foundation

/// A public key of one of the kinds that the specification defines (4.2). A value type; safe to share between threads.
package enum PublicKey: Sendable {
    /// `ed25519`, 32 bytes as hexadecimal digits.
    case ed25519(Curve25519.Signing.PublicKey)
    /// `ecdsa-sha2-nistp256`, PEM, with signatures in DER.
    case p256(P256.Signing.PublicKey)
    /// `rsassa-pss-sha256`, PEM, of at least 2,048 bits.
    case rsa(RSAPublicKey)

    /// Reads a key of a document.
    ///
    /// - Returns: Nil for a type, a scheme or a value that can't be used here: such a key vouches for nothing, and the others of its
    ///   document remain good.
    /// - Throws: `BundleError` when the members aren't texts, or are longer than ``TrustLimits`` permits.
    static func read(_ element: JSONElement) throws(BundleError) -> PublicKey? {
        let type = try element.required("keytype").string()
        let scheme = try element.required("scheme").string()
        // Other types have other members there.
        guard let value = try element.required("keyval").member("public") else { return nil }
        let text = try value.text(atMost: TrustLimits.keyByteCount)
        return PublicKey(type: type, scheme: scheme, text)
    }

    /// Nil for a key that can't be used here.
    package init?(type: String, scheme: String, _ text: String) {
        switch (type, scheme) {
        case ("ed25519", "ed25519"):
            guard let bytes = Hexadecimal.bytes(of: text),
                let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)
            else { return nil }
            self = .ed25519(key)
        case ("ecdsa", "ecdsa-sha2-nistp256"):
            guard let key = try? P256.Signing.PublicKey(pemRepresentation: text) else { return nil }
            self = .p256(key)
        case ("rsa", "rsassa-pss-sha256"):
            guard let key = RSAPublicKey(pem: text) else { return nil }
            self = .rsa(key)
        default: return nil
        }
    }

    /// Whether the key has made `signature` over `payload`.
    package func isValid(_ signature: [UInt8], of payload: [UInt8]) -> Bool {
        switch self {
        case .ed25519(let key): return key.isValidSignature(signature, for: payload)
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: payload)
        case .rsa(let key): return key.isValid(signature, of: payload)
        }
    }
}

extension PublicKey: Hashable {
    /// Whether both are one key, however it is written.
    package static func == (left: PublicKey, right: PublicKey) -> Bool { left.bytes == right.bytes }

    /// Hashes the key's bytes.
    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// The key in one form; those of the kinds have different lengths or beginnings.
    var bytes: Data {
        switch self {
        case .ed25519(let key): key.rawRepresentation
        case .p256(let key): key.x963Representation
        case .rsa(let key): key.derRepresentation
        }
    }
}
