import BundleStore
import Foundation
import HTTPTypes

/// The source of the coded forms of bundled files.
package protocol VariantProvider: Sendable {
    /// Increases some time after better forms have become available; those from before stay valid. Takes no lock.
    var generation: Int64 { get }

    /// The available coded forms of a file, none of them longer than it; a delta only if it is one to the client's
    /// dictionary. Called for each response, on any thread: it must not wait. It may schedule the form that would be
    /// best for the client, for a later response.
    func variants(of asset: Asset, for preferences: CodingPreferences) -> [ContentVariant]

    /// Schedules the delta between a file and the client's dictionary, if it is possible and there is none yet: the
    /// client has no use for it later.
    ///
    /// - Returns: A closure that waits for the delta for a limited time, after which there may be none. Nil when there
    ///   is nothing to wait for.
    func pendingDelta(of asset: Asset, for preferences: CodingPreferences) -> (@Sendable () async -> Void)?
}

/// The codings that a request's client accepts. A small value that suits as a key; safe to share between threads.
public struct CodingPreferences: Hashable, Sendable {
    /// The codings, the best first.
    public let accepted: AcceptEncoding
    /// The content that the client has as a dictionary for deltas (RFC 9842 §2.2); nil when it accepts none.
    public let dictionary: Digest?

    /// Creates preferences. The dictionary of a client that accepts no deltas is left out.
    public init(_ accepted: AcceptEncoding, dictionary: Digest? = nil) {
        self.accepted = accepted
        self.dictionary = accepted.accepts(.dictionaryZstandard) ? dictionary : nil
    }

    /// The same for a client that accepts no deltas.
    var withoutDictionary: CodingPreferences { CodingPreferences(accepted) }

    /// Parses a request's fields.
    public init(_ fields: HTTPFields) {
        let dictionary = fields[.availableDictionary].flatMap(AvailableDictionary.digest)
        self.init(AcceptEncoding(fields[.acceptEncoding]), dictionary: dictionary)
    }
}

/// The value of `Available-Dictionary` (RFC 9842 §2.2): the SHA-256 of the content that a client has.
package enum AvailableDictionary {
    /// Parses a byte sequence (RFC 9651 §3.3.5), `:` base64 `:`. Returns nil for anything else, and for another length
    /// than that of a digest.
    package static func digest(_ fieldValue: String) -> Digest? {
        let text = fieldValue.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
        guard text.utf8.count >= 2, text.hasPrefix(":"), text.hasSuffix(":"),
            let bytes = Data(base64Encoded: String(text.dropFirst().dropLast()))
        else { return nil }
        return bytes.withUnsafeBytes { Digest(bytes: $0) }
    }
}

/// A representation's content in a coding (RFC 9110 §8.4): another representation of the same resource.
///
/// A value type; safe to share between threads.
package struct ContentVariant: Sendable {
    /// The coding; not `identity`.
    package let coding: ContentCoding
    /// The bytes in that coding.
    package let content: ByteSlice
    /// The tag of these bytes, which no other coding of the content has (§8.8.3.3).
    package let entityTag: EntityTag

    /// Creates the variant of a coded form.
    package init(_ key: VariantKey, _ content: ByteSlice) {
        coding = key.coding
        self.content = content
        entityTag = EntityTag(key)
    }
}
