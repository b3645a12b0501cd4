/// A content coding (RFC 9110 §8.4.1) that this program knows, or none at all.
///
/// The numbers are those that the files of variants have in their headers: what has one keeps it, and no other gets it.
public enum ContentCoding: UInt8, Hashable, Sendable, CaseIterable {
    /// The content as it is.
    case identity = 0
    /// RFC 1952.
    case gzip = 1
    /// RFC 8878.
    case zstandard = 2
    /// RFC 7932.
    case brotli = 3
    /// Zstandard with another content as its dictionary (RFC 9842 §5).
    case dictionaryZstandard = 4

    /// The order in which they are preferred when a client has no wish of its own, the best first.
    public static let byPreference: [ContentCoding] = [.dictionaryZstandard, .brotli, .zstandard, .gzip, .identity]

    /// The name in `Accept-Encoding` and `Content-Encoding`, in lower case.
    public var token: String {
        switch self {
        case .identity: "identity"
        case .gzip: "gzip"
        case .zstandard: "zstd"
        case .brotli: "br"
        case .dictionaryZstandard: "dcz"
        }
    }

    /// What the names of files in this coding end in, without a dot; nil for the content as it is.
    public var fileExtension: String? {
        switch self {
        case .identity: nil
        case .gzip: "gz"
        case .zstandard: "zst"
        case .brotli: "br"
        case .dictionaryZstandard: "dcz"
        }
    }
}
