import SystemPackage

/// Names a coded form of a content: the same key, the same decoded bytes. A value type; safe to share between threads.
public struct VariantKey: Hashable, Sendable {
    /// SHA-256 of the content without the coding.
    public let content: Digest
    /// The coding; not `identity`.
    public let coding: ContentCoding

    /// Names the form of `content` in `coding`.
    public init(_ content: Digest, _ coding: ContentCoding) {
        self.content = content
        self.coding = coding
    }

    /// The name of its file: `DIGEST.br`.
    var fileName: String { "\(content.hex).\(coding.fileExtension ?? "")" }

    /// Returns nil for a name that no variant's file has.
    init?(fileName: String) {
        let parts = fileName.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let content = Digest(hex: parts[0]),
            let coding = ContentCoding.allCases.first(where: { $0.fileExtension == String(parts[1]) })
        else { return nil }
        self.init(content, coding)
        guard self.fileName == fileName else { return nil }
    }
}
