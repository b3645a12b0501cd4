import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// The Cache-Control directives of a request or a response (RFC 9111 §5.2, RFC 5861, RFC 8246), or those of a targeted
/// field (RFC 9213).
///
/// Directives may be spread over several field lines and are compared without regard to case; unknown ones are ignored.
/// When a directive occurs twice, the first counts (RFC 9111 §4.2.1). An invalid number of seconds counts as 0, which
/// makes a response stale; one above 2³¹ counts as 2³¹ (RFC 9111 §1.2.2).
///
/// A value type; safe to share between threads.
package struct CacheControl: Hashable, Sendable {
    /// What a `no-cache` or `private` directive applies to.
    package enum Scope: Hashable, Sendable {
        /// The whole response.
        case response
        /// Only the listed fields of it (RFC 9111 §5.2.2.4, §5.2.2.7).
        case fields([HTTPField.Name])
    }

    private let directives: [CacheDirective]
    /// Whether they are those of a targeted field, which replaces Cache-Control and Expires (RFC 9213 §2.2).
    package let isTargeted: Bool

    /// Reads every Cache-Control line in `fields`. Never fails.
    package init(_ fields: HTTPFields) {
        directives = fields.listElements(of: .cacheControl).map { CacheDirective($0) }
        isTargeted = false
    }

    /// Reads a targeted field: all its lines are one dictionary of structured fields (RFC 9213 §2.1). Nil when it is
    /// absent, empty or malformed, in which case it must be ignored.
    package init?(targetedField name: HTTPField.Name, of fields: HTTPFields) {
        guard let value = fields[name], let members = StructuredDictionary(value)?.members, !members.isEmpty
        else { return nil }
        directives = members.compactMap { CacheDirective($0, $1) }
        guard directives.count == members.count else { return nil }
        isTargeted = true
    }

    /// `no-store` (§5.2.1.5, §5.2.2.5).
    package var noStore: Bool { has("no-store") }
    /// `no-cache` (§5.2.1.4, §5.2.2.4); nil when absent.
    package var noCache: Scope? { scope("no-cache") }
    /// `private` (§5.2.2.7); nil when absent.
    package var privateScope: Scope? { scope("private") }
    /// `public` (§5.2.2.9).
    package var isPublic: Bool { has("public") }
    /// `must-revalidate` (§5.2.2.2).
    package var mustRevalidate: Bool { has("must-revalidate") }
    /// `proxy-revalidate` (§5.2.2.8); applies to shared caches only.
    package var proxyRevalidate: Bool { has("proxy-revalidate") }
    /// `must-understand` (§5.2.2.3).
    package var mustUnderstand: Bool { has("must-understand") }
    /// `immutable` (RFC 8246 §2).
    package var isImmutable: Bool { has("immutable") }
    /// `only-if-cached` (§5.2.1.7).
    package var onlyIfCached: Bool { has("only-if-cached") }

    /// `max-age` in seconds (§5.2.1.1, §5.2.2.1).
    package var maxAge: Int? { seconds("max-age") }
    /// `s-maxage` in seconds (§5.2.2.10); applies to shared caches only.
    package var sharedMaxAge: Int? { seconds("s-maxage") }
    /// `min-fresh` in seconds (§5.2.1.3).
    package var minFresh: Int? { seconds("min-fresh") }
    /// `max-stale` in seconds (§5.2.1.2); 2³¹ without an argument, because any staleness is accepted then.
    package var maxStale: Int? {
        guard let directive = first("max-stale") else { return nil }
        guard let argument = directive.argument else { return DeltaSeconds.maximum }
        return DeltaSeconds.parse(argument) ?? 0
    }
    /// `stale-while-revalidate` in seconds (RFC 5861 §3).
    package var staleWhileRevalidate: Int? { seconds("stale-while-revalidate") }
    /// `stale-if-error` in seconds (RFC 5861 §4).
    package var staleIfError: Int? { seconds("stale-if-error") }

    private func first(_ name: String) -> CacheDirective? {
        directives.first { $0.name == name }
    }

    private func has(_ name: String) -> Bool {
        first(name) != nil
    }

    private func seconds(_ name: String) -> Int? {
        first(name).map { $0.argument.flatMap { DeltaSeconds.parse($0) } ?? 0 }
    }

    private func scope(_ name: String) -> Scope? {
        let scopes = directives.filter { $0.name == name }.map(CacheControl.scope)
        guard !scopes.isEmpty else { return nil }
        var names: [HTTPField.Name] = []
        for case .fields(let listed)? in scopes { names += listed }
        // Of conflicting directives, the most restrictive wins (§4.2.1).
        return scopes.contains(nil) ? .response : .fields(names)
    }

    /// Nil when the directive applies to the whole response: it lists nothing, lists something that isn't a field name,
    /// or lists a field without which the cache would misread what it stored.
    private static func scope(_ directive: CacheDirective) -> Scope? {
        let elements = FieldList.elements(of: directive.argument ?? "")
        let names = elements.compactMap { HTTPField.Name(String($0)) }
        guard !names.isEmpty, names.count == elements.count else { return nil }
        return names.contains(.cacheControl) || names.contains(.vary) ? nil : .fields(names)
    }
}

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

/// Whole, non-negative seconds as HTTP writes them (RFC 9111 §1.2.2).
enum DeltaSeconds {
    /// The value used for any that is too large to represent: 2³¹ seconds, 68 years.
    static let maximum = 2_147_483_648

    /// Returns nil unless `text` is one or more ASCII digits; at most ``maximum``.
    static func parse(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty else { return nil }
        var seconds = 0
        for byte in text.utf8 {
            guard ASCII.isDigit(byte) else { return nil }
            seconds = min(seconds * 10 + Int(byte - UInt8(ascii: "0")), maximum)
        }
        return seconds
    }

    /// `interval` rounded down, 0 when it is negative or not a number, at most ``maximum``.
    static func whole(_ interval: TimeInterval) -> Int {
        guard interval > 0 else { return 0 }
        return interval < TimeInterval(maximum) ? Int(interval) : maximum
    }
}
