import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// The responses that isolate bundles in browsers, and that clear the data of removed bundles.
extension LayeredResponder {
    /// The response in place of the bundle's own where a browser would treat several bundles as one origin; nil where
    /// the bundle's own response is right.
    static func isolating(_ request: HTTPRequest, _ match: ResourceMatch) -> Response? {
        if match.sharesHost, NavigationRequest.isForServiceWorker(request) { return retiringWorker(request) }
        guard !match.isForPages else { return nil }
        let name = match.release.name
        guard NavigationRequest.opensDocument(request) else {
            // A page that is mounted on the host would read another bundle's files.
            guard NavigationRequest.isFromSameOrigin(request) else { return nil }
            let text = "\(name) is for tools here, and not for pages of this host."
            var response = plain(.forbidden, text, .isolated, request)
            response.head.headerFields.vary(by: isolatingFields)
            return response
        }
        var response: Response
        if let address = match.ownAddress {
            response = plain(
                .temporaryRedirect,
                "Each bundle opens on a host of its own: \(address)",
                .isolated,
                request
            )
            response.head.headerFields[.location] = address
        } else {
            let text =
                "\(name) doesn't open here, where other bundles would be of the same origin for browsers; the server's operator "
                + "can give it a host or a path of its own."
            response = plain(.notFound, text, .isolated, request)
        }
        response.head.headerFields.vary(by: isolatingFields)
        return response
    }

    /// The fields by which ``isolating(_:_:)`` decides.
    static let isolatingFields = NavigationRequest.decidingFields + [.secFetchSite]

    /// The response to a request that no bundle covers.
    static func uncovered(_ request: HTTPRequest, _ absence: Absence) -> ResponseStart {
        let miss = ResponseSource(.miss)
        if absence != .unavailable, NavigationRequest.isForServiceWorker(request) {
            // Doesn't clear: that would end the worker before it can reload its pages. Reloading clears them.
            return .complete(retiringWorker(request), ResponseSource(.server))
        }
        switch absence {
        case .unavailable, .nobody: return .complete(notFound("No bundle covers this address.", request), miss, .path)
        case .vacantHost:
            let response = notFound(
                "There is no bundle of this name.",
                request
            )
            return .complete(clearing(response, for: request), miss, .path)
        case .unshared(let name):
            let text =
                "\(name) isn't served on this host, where all bundles would be one origin for browsers; the server's operator "
                + "can give it a host or a path of its own, or open all bundles here."
            return .complete(notFound(text, request), miss, .path)
        }
    }

    /// Clears the data that a removed bundle has left in browsers (W3C Clear Site Data).
    ///
    /// Not for a request from a page of another site: cookies are shared by all ports of a host, so that site could
    /// have another server's cookies deleted. Cookies are cleared only under `localhost`: elsewhere clearing covers the
    /// whole registrable domain (§4.2.4), which other servers share. Cookies that remain aren't read here.
    private static func clearing(_ response: Response, for request: HTTPRequest) -> Response {
        guard NavigationRequest.isFromSameSite(request) || NavigationRequest.isTopLevel(request) else {
            return response
        }
        var response = response
        let host = RequestTarget(request.path ?? "/", host: request.authority)?.host
        let isLocal = host.map(LocalHost.isName) ?? false
        response.head.headerFields[.clearSiteData] = isLocal ? everything : #""cache", "storage""#
        return response
    }

    private static let everything = #""cache", "cookies", "storage""#

    /// The response on the own host of a bundle whose name an earlier publisher had.
    ///
    /// - Parameter rest: Responds to all other requests.
    static func changingPublisher(
        _ cookie: PublisherCookie,
        _ request: HTTPRequest,
        _ match: ResourceMatch,
        now: Date,
        _ rest: (HTTPRequest) -> ResponseStart
    ) -> ResponseStart {
        var anonymous = request
        anonymous.headerFields[.cookie] = nil
        switch PublisherChange.step(for: request, at: match.address, of: match.release.name, cookie, now: now) {
        case .pass:
            guard NavigationRequest.isTopLevel(request) else { return rest(request).withHead(reuse: .target) { _ in } }
            // Renewed each time, so that it doesn't expire while the bundle is in use.
            let field = HTTPField(name: .setCookie, value: cookie.fieldValue)
            return rest(request).withHead(reuse: .target) { $0.headerFields.append(field) }
        case .withoutCookies: return rest(anonymous).withHead(reuse: .target) { $0.headerFields[.setCookie] = nil }
        case .clearWithPage:
            let beginning = rest(anonymous).withHead(reuse: .never) {
                $0.headerFields[.setCookie] = nil
                $0.headerFields[.clearSiteData] = everything
                $0.headerFields[.cacheControl] = "no-store"
            }
            // The response isn't kept as a ready response either.
            guard case .complete(let response, let source, _) = beginning else { return beginning }
            return .complete(response, ResponseSource(.server, source.release))
        case .refuse:
            let text = "The page is of an earlier publisher of this bundle; reload it."
            return .complete(plain(.forbidden, text, .isolated, request), ResponseSource(.server, match.release))
        case .retireWorker: return .complete(retiringWorker(request), ResponseSource(.server, match.release))
        case .clear(let next):
            var response = plain(.ok, "The bundle has another publisher now: see \(next)", .isolated, request)
            response.head.headerFields[.clearSiteData] = everything
            response.head.headerFields[.refresh] = "0;url=\(next)"
            return .complete(response, ResponseSource(.server, match.release))
        case .mark(let next), .leave(let next):
            var response = plain(.temporaryRedirect, "See \(next)", .isolated, request)
            response.head.headerFields[.location] = next
            response.head.headerFields[.setCookie] = cookie.fieldValue
            return .complete(response, ResponseSource(.server, match.release))
        }
    }

    /// The response to a request for a worker's script under a mount: a missing script is replaced by one that removes
    /// the worker, because another bundle may have left it.
    static func retiringMissing(_ request: HTTPRequest, _ beginning: ResponseStart) -> ResponseStart {
        @Sendable func isMissing(_ head: HTTPResponse) -> Bool { head.status == .notFound || head.status == .gone }
        switch beginning {
        case .complete(let response, let source, _):
            guard isMissing(response.head) else { return beginning }
            return .complete(retiringWorker(request), ResponseSource(.server, source.release))
        case .waiting(let rest):
            return .waiting { client in
                let response = await rest(client)
                guard isMissing(response.head) else { return response }
                return .complete(retiringWorker(request), ResponseSource(.server, response.source.release))
            }
        }
    }

    /// A service worker that removes itself, in place of one that a bundle left on a host that isn't its own: a worker
    /// responds without asking the server, and is replaced only by a newer script (W3C Service Workers, “Update”), not
    /// by a 404.
    package static func retiringWorker(_ request: HTTPRequest) -> Response {
        let script = ResponseBody(
            """
            // No bundle has a service worker here.
            self.addEventListener('install', () => self.skipWaiting());
            self.addEventListener('activate', event => event.waitUntil((async () => {
                await self.registration.unregister();
                for (const client of await self.clients.matchAll({ type: 'window' })) await client.navigate(client.url);
            })()));

            """
        )
        let fields: HTTPFields = [
            .contentType: MediaType.javaScript.string, .contentLength: String(script.byteCount),
            .cacheControl: "no-store",
            .xContentTypeOptions: "nosniff", .cacheStatus: CacheStatus.isolated.fieldValue,
        ]
        let response = Response(head: HTTPResponse(status: .ok, headerFields: fields), body: script)
        return request.method == .head ? response.withoutBody : response
    }
}

extension HTTPField.Name {
    /// HTML standard, “The `Refresh` header”.
    static let refresh = HTTPField.Name("Refresh")!
}

extension CacheStatus {
    fileprivate static let isolated = CacheStatus(nil, detail: "isolation")
}

/// Which page a request comes from, in the words of the origins.
extension LayeredResponder {
    /// The address of a client that the origin is told; nil when it isn't.
    func address(of match: ResourceMatch, to url: String) -> ForwardedAddress? {
        scheme.flatMap { ForwardedAddress(of: match, to: url, scheme: $0) }
    }

    /// A request whose `Origin` and `Referer` name the origins' pages where they named those of this server: servers
    /// compare them with their own host (RFC 6454 §7.3; OWASP, “Cross-Site Request Forgery Prevention”), and this
    /// server's host concerns no origin. What names other servers is left alone.
    ///
    /// An origin that is told the client's address compares them with that, so they stay as they are.
    func asFromOrigin(_ request: HTTPRequest, _ match: ResourceMatch) -> HTTPRequest {
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
