import BundleModel
import Crypto
import Foundation
import Synchronization

/// A key of a test's repository, the same one in each run.
struct TestKey: Hashable {
    enum Kind {
        case ed25519, p256
    }

    let name: String
    private let kind: Kind
    private let seed: UInt8

    static func ed25519(_ seed: UInt8, named name: String? = nil) -> TestKey {
        TestKey(name: name ?? "ed-\(seed)", kind: .ed25519, seed: seed)
    }

    static func p256(_ seed: UInt8, named name: String? = nil) -> TestKey {
        TestKey(name: name ?? "ec-\(seed)", kind: .p256, seed: seed)
    }

    /// The key as a member of `keys`.
    var json: String {
        switch kind {
        case .ed25519: Self.json("ed25519", "ed25519", Hexadecimal.string(of: edwards.publicKey.rawRepresentation))
        case .p256: Self.json("ecdsa", "ecdsa-sha2-nistp256", nist.publicKey.pemRepresentation)
        }
    }

    static func json(_ type: String, _ scheme: String, _ value: String) -> String {
        let text = value.replacing("\n", with: "\\n")
        return #"{"keytype": "\#(type)", "scheme": "\#(scheme)", "keyval": {"public": "\#(text)"}, "x": 1}"#
    }

    private struct Signing: Hashable {
        let key: TestKey
        let payload: [UInt8]
    }

    /// A second signature of the same is another one, and a document that is made twice must have the same hash.
    private static let signatures = Mutex<[Signing: String]>([:])

    /// A signature in hexadecimal digits.
    func sign(_ payload: [UInt8]) throws -> String {
        let signing = Signing(key: self, payload: payload)
        return try Self.signatures.withLock { signatures in
            if let signature = signatures[signing] { return signature }
            let signature =
                switch kind {
                case .ed25519: Hexadecimal.string(of: try edwards.signature(for: payload))
                case .p256: Hexadecimal.string(of: try nist.signature(for: payload).derRepresentation)
                }
            signatures[signing] = signature
            return signature
        }
    }

    private var secret: [UInt8] { [UInt8](repeating: seed, count: 32) }

    private var edwards: Curve25519.Signing.PrivateKey {
        // Any 32 bytes are a key.
        try! Curve25519.Signing.PrivateKey(rawRepresentation: secret)
    }

    private var nist: P256.Signing.PrivateKey {
        // Any number below the order of the curve is a key.
        try! P256.Signing.PrivateKey(rawRepresentation: secret)
    }
}
