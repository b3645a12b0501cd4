import BundleServing
import BundleStore
import Foundation

/// Where a reference leads (WHATWG HTML §8.1.6.4, “resolve a module specifier”). Pure.
enum ModuleAddress {
    /// Nil for a specifier that the import map doesn't have, and for what is no URL.
    static func url(of reference: Reference, from base: URL, _ imports: [String: URL]) -> URL? {
        let text = reference.text.trimmingCharacters(in: .whitespacesAndNewlines)
        if reference.kind.isSpecifier, isBare(text) { return address(of: text, imports) }
        return URL(string: text, relativeTo: base)?.absoluteURL
    }

    /// Whether a specifier isn't a URL.
    static func isBare(_ text: String) -> Bool {
        if text.hasPrefix("/") || text.hasPrefix("./") || text.hasPrefix("../") { return false }
        return scheme(of: text) == nil
    }

    /// The scheme in front of a text (RFC 3986 §3.1), in lower case; nil when it has none.
    static func scheme(of text: String) -> String? {
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard scheme.count < text.utf8.count, let first = scheme.first, ASCII.isLetter(first),
            scheme.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) })
        else { return nil }
        return String(scheme)?.lowercased()
    }

    private static func address(of specifier: String, _ imports: [String: URL]) -> URL? {
        if let address = imports[specifier] { return address }
        let prefix = imports.keys.filter { $0.hasSuffix("/") && specifier.hasPrefix($0) }.max { $0.count < $1.count }
        return prefix.flatMap { prefix in
            URL(string: String(specifier.dropFirst(prefix.count)), relativeTo: imports[prefix])?.absoluteURL
        }
    }
}
