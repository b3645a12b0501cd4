import BundleServing

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

    /// A member of a targeted field (RFC 9213 §2.1). Nil when its value has another type than the directive's: a flag is
    /// true, a number of seconds is an integer, and field names are in a string.
    init?(_ name: String, _ value: StructuredDictionary.Value) {
        self.name = name
        switch (value, Kind(name)) {
        case (.boolean(true), .flag), (.boolean(true), .fields), (_, .unknown): argument = nil
        case (.string(let names), .fields): argument = names
        case (.integer(let seconds), .seconds): argument = String(seconds)
        default: return nil
        }
    }

    /// What a directive's argument is, as far as this cache knows the directive.
    private enum Kind {
        case flag, seconds, fields, unknown

        init(_ name: String) {
            self =
                switch name {
                case "no-store", "must-revalidate", "proxy-revalidate", "public", "must-understand": .flag
                case "max-age", "s-maxage", "stale-while-revalidate", "stale-if-error": .seconds
                case "no-cache", "private": .fields
                // Among them `immutable`, whose arguments are ignored (RFC 8246 §2).
                default: .unknown
                }
        }
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
