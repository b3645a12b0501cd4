/// One element of a Cache-Control field: `name` or `name=argument` (RFC 9111 §5.2).
struct CacheDirective: Hashable, Sendable {
    /// In lower case: directives are compared without regard to case.
    let name: String
    /// Without its quotes; nil when the directive has no `=`.
    let argument: String?

    /// Never fails: an element that isn't a directive becomes an unknown directive.
    ///
    /// Whitespace before `=` is dropped from the name and whitespace after it stays in the argument. So the malformed
    /// `max-age = 60` is still seen, and its argument isn't a number.
    init(_ element: Substring) {
        let parts = element.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        name = FieldList.trimmingWhitespace(Substring(parts[0])).lowercased()
        argument = parts.count == 2 ? CacheDirective.unquoted(Substring(parts[1])) : nil
    }

    /// Recipients accept token and quoted-string for any argument (RFC 9111 §5.2).
    private static func unquoted(_ text: Substring) -> String {
        let bytes = text.utf8
        let quote = UInt8(ascii: "\"")
        guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else { return String(text) }
        var isEscaped = false
        let content = bytes.dropFirst().dropLast().filter { byte in
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            return !isEscaped
        }
        return String(decoding: content, as: UTF8.self)
    }
}
