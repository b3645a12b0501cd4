import BundleServing
import BundleStore
import HTTPTypes

/// A request that goes to an origin, unless the cache responds. A value type; safe to share between threads.
struct ForwardedRequest: Sendable {
    /// The client's request, as origins get it.
    let request: HTTPRequest
    /// Its URL on the network.
    let url: String
    /// The network rule that applies.
    let rule: RuleDecision?
}

/// Makes requests into those that origins get. A value type; safe to share between threads.
struct RequestForwarding: Sendable {
    let resolver: LiveResolver
    /// The scheme of the endpoint; nil inside an app, which has no address that origins could be told.
    let scheme: String?
    /// The name for `Via`; nil inside an app, which is the client itself.
    let pseudonym: String?

    /// A request without the cookies that other bundles' pages or this server have set, and with the origins' names for
    /// pages.
    func request(from request: HTTPRequest, _ match: ResourceMatch) -> HTTPRequest {
        var request = request
        request.headerFields = VersionCookies.removed(from: request.headerFields)
        if match.sharesHost { request.headerFields[.cookie] = nil }
        return asFromOrigin(request, match)
    }

    /// Whether the request has already passed through this server: a bundle's origin may be mapped to this server's
    /// address.
    func isLoop(_ request: HTTPRequest) -> Bool {
        guard let pseudonym else { return false }
        return request.headerFields.listElements(of: .via).contains { element in
            // The protocol, the recipient, and optionally a comment (RFC 9110 §7.6.3).
            element.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.map(String.init) == pseudonym
        }
    }

    /// The address of a client that the origin is told; nil when it isn't.
    func address(of match: ResourceMatch, to url: String) -> ForwardedAddress? {
        scheme.flatMap { ForwardedAddress(of: match, to: url, scheme: $0) }
    }

    /// A request whose `Origin` and `Referer` name the origins' pages where they named those of this server: servers
    /// compare them with their own host (RFC 6454 §7.3; OWASP, “Cross-Site Request Forgery Prevention”), and this
    /// server's host concerns no origin. What names other servers is left alone.
    ///
    /// An origin that is told the client's address compares them with that, so they stay as they are.
    private func asFromOrigin(_ request: HTTPRequest, _ match: ResourceMatch) -> HTTPRequest {
        let fields = request.headerFields
        guard !match.isUnbundled, scheme == nil || !match.release.manifest.forwardsAddress else { return request }
        guard fields.contains(.origin) || fields.contains(.referer),
            let authority = request.authority, let own = RequestTarget("/", host: authority)
        else { return request }
        let pages = OwnPages(own: own, match: match, resolver: resolver.current)
        var request = request
        // No client sends one twice; what can't be read as one isn't passed on.
        for name in [HTTPField.Name.origin, .referer] where fields[values: name].count > 1 {
            request.headerFields[name] = nil
        }
        let referer = request.headerFields[.referer].map(pages.page)
        if case .own(let url)? = referer { request.headerFields[.referer] = url }
        if let origin = request.headerFields[.origin] { request.headerFields[.origin] = pages.origin(origin, referer) }
        return request
    }
}

/// The pages of this server, as seen by a request to it. A value type.
private struct OwnPages {
    /// What a value of `Referer` names.
    enum Page {
        /// A page of this server; its URL on the network, nil when it has none.
        case own(String?)
        case foreign
    }

    let own: RequestTarget
    let match: ResourceMatch
    let resolver: ResourceResolver

    func page(_ value: String) -> Page {
        guard let target = RequestTarget(url: value), isOwn(target) else { return .foreign }
        if let page = resolver.received(target).flatMap({ resolver.match($0, isNavigation: false) }) {
            return .own(page.originURL)
        }
        // Beside a mapped origin, on the same host.
        return match.originURL.flatMap { RequestTarget(url: $0)?.authority } == target.authority ? .foreign : .own(nil)
    }

    /// The value of `Origin` that replaces another one.
    func origin(_ value: String, _ referer: Page?) -> String {
        guard let target = RequestTarget(url: value), isOwn(target) else { return value }
        // The page tells more than the host, which may be that of several origins.
        if case .own(let url?)? = referer, let root = Self.root(of: url) { return root }
        if target.authority == own.authority { return match.originURL.flatMap(Self.root) ?? Self.opaque }
        let page = RequestTarget("/", host: target.authority).flatMap { resolver.match($0, isNavigation: false) }
        return page?.originURL.flatMap(Self.root) ?? page?.release.manifest.origins.first?.origin.root ?? Self.opaque
    }

    /// Whether a URL is one of this server, which has one port.
    private func isOwn(_ target: RequestTarget) -> Bool {
        guard target.authority != own.authority else { return true }
        guard let host = target.host, target.port == own.port else { return false }
        return resolver.isOwn(host)
    }

    private static func root(of url: String) -> String? {
        (try? OriginURL(String(url.prefix { $0 != "?" && $0 != "#" })))?.root
    }

    /// RFC 6454 §7.1.
    private static let opaque = "null"
}
