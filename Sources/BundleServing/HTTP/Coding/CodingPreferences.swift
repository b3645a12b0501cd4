import BundleStore
import HTTPTypes

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
