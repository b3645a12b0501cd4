/// A content coding (RFC 9110 §8.4.1) that this program supports, or none.
///
/// The raw values are stored in the headers of variant files: a value never changes and is never reused.
public enum ContentCoding: UInt8, Hashable, Sendable, CaseIterable {
    /// The content without a coding.
    case identity = 0
    /// RFC 1952.
    case gzip = 1
    /// RFC 8878.
    case zstandard = 2
    /// RFC 7932.
    case brotli = 3
    /// Zstandard with another content as its dictionary (RFC 9842 §5).
    case dictionaryZstandard = 4

    /// The order of preference when the client states none, best first.
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

    /// The extension of file names in this coding, without a dot; nil for `identity`.
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
