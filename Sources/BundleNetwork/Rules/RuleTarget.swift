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
    init(_ components: [String], of pattern: URLPattern, _ request: RuleRequest, _ origins: [OriginMapping]) {
        self = .refused
        guard !HiddenDotSegment.isPresent(in: components.map { $0[...] }),
            let prefix = pattern.origin ?? Self.prefix(of: components, origins)?.root,
            let rest = pattern.origin == nil ? Self.prefix(of: components, origins)?.rest : components
        else { return }
        let path = prefix + (prefix.hasSuffix("/") ? "" : "/") + rest.joined(separator: "/")
        let url = path + (request.isFolder && !path.hasSuffix("/") ? "/" : "")
        guard let location = try? OriginURL(url), origins.contains(where: { $0.origin.contains(location) }) else {
            return
        }
        self = .rewritten(url: url + request.query, isOtherOrigin: location.root != request.origin?.root)
    }

    /// The origin that covers a path in the bundle, as ``/BundleServing/ResourceMatch/originURL`` chooses it.
    private static func prefix(
        of components: [String],
        _ origins: [OriginMapping]
    ) -> (root: String, rest: [String])? {
        let decoded = components.map { PercentEncoding.decode($0.utf8) ?? "" }
        let covering =
            origins
            .map { ($0, $0.folder?.components.map(String.init) ?? []) }
            .filter { decoded.starts(with: $0.1) }
            .max { $0.1.count < $1.1.count }
        return covering.map { ($0.0.origin.description, Array(components.dropFirst($0.1.count))) }
    }

    /// Whether the client's credentials must not be sent.
    package var isForOtherOrigin: Bool {
        if case .rewritten(_, true) = self { true } else { false }
    }
}
