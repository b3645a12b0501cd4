import BundleModel
import BundleStore
import BundleTrust
import Crypto
import Foundation

/// A public key as documents have it. A value type; safe to share between threads.
package struct PublishedKey: Sendable {
    /// The kinds of keys that can be used here, with the scheme of their signatures.
    static let schemes: KeyValuePairs = [
        "ed25519": "ed25519", "ecdsa": "ecdsa-sha2-nistp256", "rsa": "rsassa-pss-sha256",
    ]
    /// The kind that is made here.
    static let type = "ed25519"
    /// What a key of Ed25519 has in DER before its 32 bytes (RFC 8410 §4).
    private static let prefix: [UInt8] = [0x30, 0x2A, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 3, 0x21, 0]

    /// The kind, such as `ed25519`.
    package let type: String
    private let scheme: String
    /// The key in hexadecimal digits, or in PEM.
    package let text: String
    /// The key, for comparing it with those that a document names.
    let key: PublicKey

    init(_ key: Curve25519.Signing.PublicKey) {
        (type, scheme) = (Self.type, Self.type)
        text = Hexadecimal.string(of: key.rawRepresentation)
        self.key = .ed25519(key)
    }

    /// Nil for a key that can't be used here.
    ///
    /// - Parameter scheme: Nil for that of the kind.
    init?(type: String = Self.type, scheme: String? = nil, _ text: String) {
        guard let scheme = scheme ?? Self.schemes.first(where: { $0.key == type })?.value,
            let key = PublicKey(type: type, scheme: scheme, text)
        else { return nil }
        (self.type, self.scheme, self.text, self.key) = (type, scheme, text, key)
    }

    /// Reads a key as tools write it: 64 hexadecimal digits for one of Ed25519, PEM, a key of a TUF document, or a key's file.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` for anything else.
    package init(reading bytes: [UInt8], named name: String) throws(BundleError) {
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let key: PublishedKey? =
            if text.hasPrefix("{") { try Self.member(of: bytes, named: name) } else {
                PublishedKey(text) ?? Self.pem(text)
            }
        guard let key else {
            throw BundleError(
                .invalidArgument,
                "\(Printable.text(name)) isn't a public key of Ed25519 (64 hexadecimal digits or PEM), ECDSA with P-256 or RSA (PEM)"
            )
        }
        self = key
    }

    private static func pem(_ text: String) -> PublishedKey? {
        let key = ["ecdsa", "rsa"].lazy.compactMap { PublishedKey(type: $0, text) }.first
        let lines = text.split(whereSeparator: \.isNewline)
        guard key == nil, lines.first == "-----BEGIN PUBLIC KEY-----", lines.last == "-----END PUBLIC KEY-----",
            let der = Data(base64Encoded: lines.dropFirst().dropLast().joined()), der.starts(with: prefix)
        else { return key }
        return PublishedKey(Hexadecimal.string(of: der.dropFirst(prefix.count)))
    }

    private static func member(of bytes: [UInt8], named name: String) throws(BundleError) -> PublishedKey? {
        let element = try JSONElement(
            parsing: bytes,
            named: name,
            maximumByteCount: KeyFile.maximumByteCount,
            refusedAs: .invalidArgument
        )
        let value = try element.member("keyval") ?? element
        return try PublishedKey(element, text: value.required("public"))
    }

    /// The key that an object describes; nil for one that can't be used here.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with the document's code when a member is no string.
    init?(_ element: JSONElement, text: JSONElement) throws(BundleError) {
        self.init(
            type: try element.member("keytype")?.string() ?? Self.type,
            scheme: try element.member("scheme")?.string(),
            try text.string()
        )
    }

    /// The key as a member of `keys` (specification 4.2).
    var json: JSONValue {
        .members([
            ("keytype", .string(type)), ("scheme", .string(scheme)), ("keyval", .members([("public", .string(text))])),
        ])
    }

    /// What a key's file has of it.
    var members: [(String, JSONValue)] {
        [("keytype", .string(type)), ("scheme", .string(scheme)), ("public", .string(text))]
    }

    /// The key's name in documents: the SHA-256 of its canonical form, as other publishers' tools make it.
    package var id: String {
        // It has no numbers, and with them no error.
        Digest(of: (try? CanonicalJSON.bytes(of: json)) ?? []).hex
    }
}

extension PublishedKey: Hashable {
    /// Whether both are one key, however it is written.
    package static func == (left: PublishedKey, right: PublishedKey) -> Bool { left.key == right.key }

    /// Hashes the key.
    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
