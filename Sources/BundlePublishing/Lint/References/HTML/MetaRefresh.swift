/// The URL that a page leads to by itself (WHATWG HTML §4.2.5.3, “shared declarative refresh steps”). Pure.
enum MetaRefresh {
    /// Nil when the page is only loaded again.
    ///
    /// - Parameter content: The value of `content`.
    static func url(_ content: String) -> String? {
        let text = content.drop(while: \.isWhitespace)
        let delay = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        guard !delay.isEmpty else { return nil }
        let rest = text[delay.endIndex...]
        guard let first = rest.first, first.isWhitespace || ";,".contains(first) else { return nil }
        var value = rest.drop(while: \.isWhitespace)
        if value.first == ";" || value.first == "," { value = value.dropFirst().drop(while: \.isWhitespace) }
        let url = afterKey(value)
        guard let quote = url.first, "\"'".contains(quote) else { return url.isEmpty ? nil : String(url) }
        return String(url.dropFirst().prefix { $0 != quote })
    }

    /// What is behind “url=”, which may be left out.
    private static func afterKey(_ text: Substring) -> Substring {
        guard text.prefix(3).lowercased() == "url" else { return text }
        let rest = text.dropFirst(3).drop(while: \.isWhitespace)
        return rest.first == "=" ? rest.dropFirst().drop(while: \.isWhitespace) : text
    }
}
