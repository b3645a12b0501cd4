/// The URL of a source map in a comment (ECMA-426 §11.1.2).
enum SourceMapComment {
    /// Nil for another comment.
    ///
    /// - Parameter text: What is in the comment.
    static func url(_ text: ArraySlice<UInt8>) -> String? {
        guard let first = text.first, first == UInt8(ascii: "#") || first == UInt8(ascii: "@") else { return nil }
        let rest = text.dropFirst().drop(while: \.isBlank)
        let key = Array("sourceMappingURL=".utf8)
        guard rest.starts(with: key) else { return nil }
        return String(decoding: rest.dropFirst(key.count).prefix { !$0.isBlank }, as: UTF8.self)
    }
}
