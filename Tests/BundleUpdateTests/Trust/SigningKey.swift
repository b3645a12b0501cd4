import BundleModel
import BundleTrust
import Crypto
import Foundation

/// A key of a publisher, the same one in each run.
struct SigningKey: Hashable {
    let seed: UInt8

    init(_ seed: UInt8) { self.seed = seed }

    var name: String { "key-\(seed)" }

    var json: String {
        let key = Hexadecimal.string(of: secret.publicKey.rawRepresentation)
        return #""\#(name)": {"keytype": "ed25519", "scheme": "ed25519", "keyval": {"public": "\#(key)"}}"#
    }

    var role: String { #"{"keyids": ["\#(name)"], "threshold": 1}"# }

    /// A document, signed with keys.
    static func document(_ signed: String, by keys: [SigningKey]) throws -> [UInt8] {
        let value = try JSONElement(
            parsing: Array(signed.utf8),
            named: "signed",
            maximumByteCount: .max,
            refusedAs: .invalidFeed
        ).value
        let payload = try CanonicalJSON.bytes(of: value)
        let signatures = try keys.map {
            #"{"keyid": "\#($0.name)", "sig": "\#(Hexadecimal.string(of: try $0.secret.signature(for: payload)))"}"#
        }
        return Array(#"{"signatures": [\#(signatures.joined(separator: ", "))], "signed": \#(signed)}"#.utf8)
    }

    private var secret: Curve25519.Signing.PrivateKey {
        // Any 32 bytes are a key.
        try! Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))
    }
}
