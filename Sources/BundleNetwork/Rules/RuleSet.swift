import BundleServing
import BundleStore
import HTTPTypes

/// The network rules that hold for one bundle: those of the operator, then those of its manifest. The first that matches
/// applies.
///
/// A value type; safe to share between threads.
package struct RuleSet: Sendable {
    private let rules: [AppliedRule]
    private let scope: RuleScope

    /// - Parameters:
    ///   - manifest: The bundle's manifest.
    ///   - common: The operator's rules, which hold for all bundles.
    package init(_ manifest: BundleManifest, common: CommonRules = CommonRules()) {
        rules = common.applied + Self.numbered(manifest.network.rules, .manifest)
        scope = manifest.name == .unbundled ? .open : RuleScope(origins: manifest.origins)
    }

    /// Whether there is no rule at all.
    package var isEmpty: Bool { rules.isEmpty }

    static func numbered(_ rules: [NetworkRule], _ source: AppliedRule.Source) -> [AppliedRule] {
        rules.enumerated().map { AppliedRule(source: source, index: $0, rule: $1) }
    }

    /// What holds for a request. A rule for media types can't be decided yet: see ``RuleDecision/forResponse(of:)``.
    package func decision(for request: RuleRequest, _ conditions: RuleConditions) -> RuleDecision {
        var candidates: [AppliedRule] = []
        for applied in rules {
            let rule = applied.rule
            guard !rule.isOnlyIfMetered || conditions.isMetered, rule.mock == nil || conditions.isDevelopment,
                rule.match.matches(method: request.method, kind: request.kind, request.subject)
            else { continue }
            guard !rule.match.mediaTypes.isEmpty else {
                return RuleDecision(applied, candidates: candidates, request, scope)
            }
            candidates.append(applied)
        }
        return RuleDecision(nil, candidates: candidates, request, scope)
    }
}

/// Where a rule may send a request that it rewrites. A value type; safe to share between threads.
package struct RuleScope: Sendable {
    private let mappings: [OriginMapping]
    /// Whether it is an app's own traffic, which the app's rules may send anywhere.
    private let isOpen: Bool

    /// What the origins of a bundle cover.
    init(origins: [OriginMapping]) {
        (mappings, isOpen) = (origins, false)
    }

    private init() {
        (mappings, isOpen) = ([], true)
    }

    /// Every URL.
    static let open = RuleScope()

    func contains(_ location: OriginURL) -> Bool {
        isOpen || mappings.contains { $0.origin.contains(location) }
    }

    /// The origin that covers a path in the bundle, as ``/BundleServing/ResourceMatch/originURL`` chooses it, and the rest of
    /// the path; where no bundle is concerned, the origin of the request.
    func prefix(of components: [String], _ request: RuleRequest) -> (root: String, rest: [String])? {
        guard !isOpen else { return request.origin.map { ($0.root, components) } }
        let decoded = components.map { PercentEncoding.decode($0.utf8) ?? "" }
        let covering =
            mappings
            .map { ($0, $0.folder?.components.map(String.init) ?? []) }
            .filter { decoded.starts(with: $0.1) }
            .max { $0.1.count < $1.1.count }
        return covering.map { ($0.0.origin.description, Array(components.dropFirst($0.1.count))) }
    }
}

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

/// A request that a bundle lacks, as far as network rules look at it. A value type; safe to share between threads.
package struct RuleRequest: Sendable {
    let method: String
    let kind: RequestKind
    /// The origin under which ``url`` lies; nil when none covers the path.
    let origin: OriginURL?
    /// The query with its question mark, or empty.
    let query: String
    /// Whether the path ends in a slash.
    let isFolder: Bool
    let subject: PatternSubject

    /// - Parameters:
    ///   - request: The client's request.
    ///   - path: The components of the path in the bundle, decoded.
    ///   - url: Its absolute URL below one of the bundle's origins; nil when none covers the path.
    package init(_ request: HTTPRequest, path: [String], url: String?) {
        // The query isn't compared, so that a pattern is independent of it.
        let location = url.map { $0.prefix { $0 != "?" } }
        method = request.method.rawValue
        kind = RequestKind(of: request)
        origin = location.flatMap { try? OriginURL(String($0)) }
        query = url.flatMap { url in location.map { String(url[$0.endIndex...]) } } ?? ""
        isFolder = location?.utf8.last == UInt8(ascii: "/")
        let encoded = location.map(Self.encodedComponents) ?? []
        let isParallel = encoded.count == origin?.components.count
        // Below the origin, both paths have the same components, which are wanted as they were sent.
        let common = isParallel ? Self.commonSuffixCount(origin?.components ?? [], path) : 0
        subject = PatternSubject(
            path: SubjectPath(
                path,
                encoded: path.dropLast(common).map { PercentEncoding.encode(component: $0) } + encoded.suffix(common)
            ),
            origin: origin?.root,
            urlPath: SubjectPath(origin?.components ?? [], encoded: isParallel ? encoded : nil)
        )
    }

    /// The same for what a look-up has found.
    package init(_ request: HTTPRequest, _ match: ResourceMatch) {
        self.init(request, path: match.innerComponents, url: match.originURL)
    }

    private static func encodedComponents(of url: Substring) -> [String] {
        guard let url = try? HTTPURL(String(url)) else { return [] }
        return url.path.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    private static func commonSuffixCount(_ one: [String], _ other: [String]) -> Int {
        zip(one.reversed(), other.reversed()).prefix { $0 == $1 }.count
    }
}

extension RequestKind {
    /// The kind of a request: by `Sec-Fetch-Dest`, and without it a navigation or ``other``.
    init(of request: HTTPRequest) {
        if let destination = NavigationRequest.destination(of: request) {
            self.init(destination: destination)
        } else {
            self = NavigationRequest.isNavigation(request) ? .navigation : .other
        }
    }
}
