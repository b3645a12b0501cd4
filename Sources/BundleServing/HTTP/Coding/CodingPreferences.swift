import BundleStore
import HTTPTypes

/// What a request says of the codings that its client takes. A small value, good for a key; safe to share between threads.
public struct CodingPreferences: Hashable, Sendable {
    /// The codings, the best first.
    public let accepted: AcceptEncoding
    /// The content that the client has to take differences to (RFC 9842 §2.2); nil when it takes none.
    public let dictionary: Digest?

    /// Joins both. A dictionary of a client that takes no differences is left out.
    public init(_ accepted: AcceptEncoding, dictionary: Digest? = nil) {
        self.accepted = accepted
        self.dictionary = accepted.accepts(.dictionaryZstandard) ? dictionary : nil
    }

    /// The same of a client that takes no differences.
    var withoutDictionary: CodingPreferences { CodingPreferences(accepted) }

    /// Reads a request's fields.
    public init(_ fields: HTTPFields) {
        let dictionary = fields[.availableDictionary].flatMap(AvailableDictionary.digest)
        self.init(AcceptEncoding(fields[.acceptEncoding]), dictionary: dictionary)
    }
}
