import BundleServing
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
