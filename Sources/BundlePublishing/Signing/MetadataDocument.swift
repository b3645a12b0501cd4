import BundleModel
import BundleStore
import BundleTrust
import Foundation

/// A key that signs, under the name that a document gives it.
struct Signer {
    let name: ExactString
    let key: any DocumentSigner
}

/// Writes documents of The Update Framework (specification 4).
enum MetadataDocument {
    private static let specificationVersion = "1.0.34"

    /// Signs a document: the signatures are over its canonical form, and it is written without white space.
    ///
    /// - Throws: As ``DocumentSigner/signature(of:)``; ``/BundleModel/BundleError`` with code `invalidFeed` for a number that isn't an
    ///   integer, which can come from a document that another program has made.
    static func encoded(_ signed: JSONValue, by signers: [Signer]) throws(BundleError) -> [UInt8] {
        let payload: [UInt8]
        do {
            payload = try CanonicalJSON.bytes(of: signed)
        } catch {
            throw BundleError(.invalidFeed, "the document can't be signed: \(error)", cause: error)
        }
        var signatures: [(name: ExactString, digits: String)] = []
        for signer in signers { signatures.append((signer.name, try signer.key.signature(of: payload))) }
        return encoded(signed, signatures)
    }

    /// A document with signatures that were made before.
    static func encoded(_ signed: JSONValue, _ signatures: [(name: ExactString, digits: String)]) -> [UInt8] {
        let list = signatures.map { name, digits in
            JSONValue.members([("keyid", .string(name.string)), ("sig", .string(digits))])
        }
        return JSONWriter.bytes(of: .members([("signatures", .array(list)), ("signed", signed)]), .compact)
    }

    /// What all documents begin with.
    ///
    /// - Parameter type: The value of `_type`.
    static func header(_ type: ExactString, version: Int, expiry: Date) -> [(String, JSONValue)] {
        [
            ("_type", .string(type.string)), ("spec_version", .string(specificationVersion)),
            ("version", .integer(version)), ("expires", time(expiry)),
        ]
    }

    /// A time as the specification writes it (4.2.1).
    static func time(_ date: Date) -> JSONValue {
        .string(Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)).formatted(.iso8601))
    }

    /// The length and the hash of a file.
    static func file(_ byteCount: Int64, _ digest: Digest) -> [(String, JSONValue)] {
        [("length", .integer(byteCount)), ("hashes", .members([("sha256", .string(digest.hex))]))]
    }

    /// A document as a timestamp or a snapshot lists it.
    static func listed(_ bytes: [UInt8], version: Int) -> JSONValue {
        .members([("version", .integer(version))] + file(Int64(bytes.count), Digest(of: bytes)))
    }

    /// The keys of a role, and how many of them have to sign.
    static func role(_ keys: [ExactString], threshold: Int = 1) -> [(String, JSONValue)] {
        [("keyids", .array(keys.map { .string($0.string) })), ("threshold", .integer(threshold))]
    }
}
