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

/// Identifies a coded form of a content: the same key means the same decoded bytes. A value type; safe to share between
/// threads.
package struct VariantKey: Hashable, Sendable {
    /// SHA-256 of the content without the coding.
    package let content: Digest
    /// The coding; not `identity`.
    package let coding: ContentCoding
    /// SHA-256 of the content that a decoder needs, for a coding with a dictionary; nil for any other.
    package let dictionary: Digest?

    /// The key of `content` in a coding without a dictionary.
    package init(_ content: Digest, _ coding: ContentCoding) {
        self.content = content
        self.coding = coding
        dictionary = nil
    }

    /// The key of the delta of `content` against `dictionary` (RFC 9842).
    package init(_ content: Digest, from dictionary: Digest) {
        self.content = content
        coding = .dictionaryZstandard
        self.dictionary = dictionary
    }

    /// Its file name: `DIGEST.br`, or `DIGEST.DICTIONARY.dcz`.
    package var fileName: String {
        ([content.hex, dictionary?.hex, coding.fileExtension] as [String?]).compactMap(\.self).joined(separator: ".")
    }

    /// Returns nil for a name that isn't a variant's file name.
    package init?(fileName: String) {
        let parts = fileName.split(separator: ".", omittingEmptySubsequences: false)
        let ext = parts.last.map(String.init)
        guard (2...3).contains(parts.count), let content = Digest(hex: parts[0]),
            let coding = ContentCoding.allCases.first(where: { $0 != .identity && $0.fileExtension == ext })
        else { return nil }
        if coding == .dictionaryZstandard {
            guard let dictionary = Digest(hex: parts[1]) else { return nil }
            self.init(content, from: dictionary)
        } else {
            self.init(content, coding)
        }
        // Another spelling would denote another file.
        guard self.fileName == fileName else { return nil }
    }

    /// Whether it is useful for a store with these contents.
    package func isNeeded(for contents: Set<Digest>) -> Bool {
        contents.contains(content) && dictionary.map(contents.contains) ?? true
    }
}
