import BundleServing
import BundleStore

/// Where a request goes by a rule that rewrites URLs. A value type; safe to share between threads.
package enum RuleTarget: Equatable, Sendable {
    /// To its own URL.
    case unchanged
    /// To another URL below one of the bundle's origins.
    ///
    /// - Parameters:
    ///   - url: The absolute URL.
    ///   - isOtherOrigin: Whether its scheme, host or port differ from those of the request's own URL: then the client's
    ///     credentials must not be sent.
    case rewritten(url: String, isOtherOrigin: Bool)
    /// Nowhere: the URL would lie outside the bundle's origins, or could be read as one outside. The request is refused
    /// like one that a rule blocks.
    case refused

    /// - Parameters:
    ///   - components: The path of the new URL, or in the bundle, percent-encoded.
    ///   - pattern: What they were made of.
    ///   - scope: Where the request may go.
    init(_ components: [String], of pattern: URLPattern, _ request: RuleRequest, _ scope: RuleScope) {
        self = .refused
        let covering = pattern.origin.map { ($0, components) } ?? scope.prefix(of: components, request)
        guard !HiddenDotSegment.isPresent(in: components.map { $0[...] }), let (prefix, rest) = covering else { return }
        let path = prefix + (prefix.hasSuffix("/") ? "" : "/") + rest.joined(separator: "/")
        let url = path + (request.isFolder && !path.hasSuffix("/") ? "/" : "")
        guard let location = try? OriginURL(url), scope.contains(location) else { return }
        self = .rewritten(url: url + request.query, isOtherOrigin: location.root != request.origin?.root)
    }

    /// Whether the client's credentials must not be sent.
    package var isForOtherOrigin: Bool {
        if case .rewritten(_, true) = self { true } else { false }
    }
}
