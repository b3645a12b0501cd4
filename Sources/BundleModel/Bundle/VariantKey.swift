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
