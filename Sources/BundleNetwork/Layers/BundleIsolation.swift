import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Isolates bundles in browsers, and clears the data of removed bundles. Pure; safe from any thread.
package enum BundleIsolation {
    /// Responds to a request that a bundle covers.
    ///
    /// - Parameter layers: Gives the bundle's own response.
    static func begin(
        _ request: HTTPRequest,
        _ match: ResourceMatch,
        now: () -> Date,
        _ layers: (HTTPRequest) -> ResponseStart
    ) -> ResponseStart {
        if let response = isolating(request, match) {
            return .complete(response, ResponseSource(.server, match.release), .target)
        }
        if let cookie = match.publisherCookie {
            return changingPublisher(cookie, request, match, now: now(), layers)
        }
        let start = layers(request)
        guard match.isMounted, NavigationRequest.isForServiceWorker(request) else { return start }
        return retiringMissing(request, start)
    }

    /// The response in place of the bundle's own where a browser would treat several bundles as one origin; nil where
    /// the bundle's own response is right.
    private static func isolating(_ request: HTTPRequest, _ match: ResourceMatch) -> Response? {
        if match.sharesHost, NavigationRequest.isForServiceWorker(request) { return retiringWorker(request) }
        guard !match.isForPages else { return nil }
        let name = match.release.name
        guard NavigationRequest.opensDocument(request) else {
            // A page that is mounted on the host would read another bundle's files.
            guard NavigationRequest.isFromSameOrigin(request) else { return nil }
            let text = "\(name) is for tools here, and not for pages of this host."
            var response = OwnResponses.plain(.forbidden, text, .isolated, request)
            response.head.headerFields.vary(by: isolatingFields)
            return response
        }
        var response: Response
        if let address = match.ownAddress {
            response = OwnResponses.plain(
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
            response = OwnResponses.plain(.notFound, text, .isolated, request)
        }
        response.head.headerFields.vary(by: isolatingFields)
        return response
    }

    /// The fields by which ``isolating(_:_:)`` decides.
    fileprivate static let isolatingFields = NavigationRequest.decidingFields + [.secFetchSite]

    /// The response to a request that no bundle covers.
    static func uncovered(_ request: HTTPRequest, _ absence: Absence) -> ResponseStart {
        let miss = ResponseSource(.miss)
        if absence != .unavailable, NavigationRequest.isForServiceWorker(request) {
            // Doesn't clear: that would end the worker before it can reload its pages. Reloading clears them.
            return .complete(retiringWorker(request), ResponseSource(.server))
        }
        switch absence {
        case .unavailable, .nobody:
            return .complete(OwnResponses.notFound("No bundle covers this address.", request), miss, .path)
        case .vacantHost:
            let response = OwnResponses.notFound(
                "There is no bundle of this name.",
                request
            )
            return .complete(clearing(response, for: request), miss, .path)
        case .unshared(let name):
            let text =
                "\(name) isn't served on this host, where all bundles would be one origin for browsers; the server's operator "
                + "can give it a host or a path of its own, or open all bundles here."
            return .complete(OwnResponses.notFound(text, request), miss, .path)
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
        let isLocal = RequestTarget(request)?.host.map(LocalHost.isName) ?? false
        response.head.headerFields[.clearSiteData] = isLocal ? everything : #""cache", "storage""#
        return response
    }

    private static let everything = #""cache", "cookies", "storage""#

    /// The response on the own host of a bundle whose name an earlier publisher had.
    ///
    /// - Parameter rest: Responds to all other requests.
    private static func changingPublisher(
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
            return .complete(
                OwnResponses.plain(.forbidden, text, .isolated, request),
                ResponseSource(.server, match.release)
            )
        case .retireWorker: return .complete(retiringWorker(request), ResponseSource(.server, match.release))
        case .clear(let next):
            var response = OwnResponses.plain(
                .ok,
                "The bundle has another publisher now: see \(next)",
                .isolated,
                request
            )
            response.head.headerFields[.clearSiteData] = everything
            response.head.headerFields[.refresh] = "0;url=\(next)"
            return .complete(response, ResponseSource(.server, match.release))
        case .mark(let next), .leave(let next):
            var response = OwnResponses.plain(.temporaryRedirect, "See \(next)", .isolated, request)
            response.head.headerFields[.location] = next
            response.head.headerFields[.setCookie] = cookie.fieldValue
            return .complete(response, ResponseSource(.server, match.release))
        }
    }

    /// The response to a request for a worker's script under a mount: a missing script is replaced by one that removes
    /// the worker, because another bundle may have left it.
    private static func retiringMissing(_ request: HTTPRequest, _ beginning: ResponseStart) -> ResponseStart {
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

extension Response {
    /// Adds `Vary` where another kind of request gets another response, so that no browser shows this one as a page.
    func varying(with match: ResourceMatch) -> Response {
        guard !match.isForPages else { return self }
        var response = self
        response.head.headerFields.vary(by: BundleIsolation.isolatingFields)
        return response
    }
}

extension HTTPField.Name {
    /// HTML standard, “The `Refresh` header”.
    static let refresh = HTTPField.Name("Refresh")!
}

extension CacheStatus {
    fileprivate static let isolated = CacheStatus(nil, detail: "isolation")
}
