import BundleServing
import HTTPTypes

/// Whether a page of the same origin makes a request. Pure.
enum PageOrigin {
    /// By `Sec-Fetch-Site`, which pages can't set; without it by `Origin`, which browsers add to each POST; a client that
    /// sends neither is no browser of this decade.
    ///
    /// - Parameter mayBeTyped: Whether a request that the user makes without a page counts too.
    static func isSame(_ request: HTTPRequest, mayBeTyped: Bool) -> Bool {
        let fields = request.headerFields
        if fields.contains(.secFetchSite) {
            return mayBeTyped ? NavigationRequest.isFromSameSite(request) : NavigationRequest.isFromSameOrigin(request)
        }
        return !isOther(request)
    }

    /// Whether a document of the same origin makes a request for a part of itself, or by a script. A client that names no such
    /// document has none, and what is fetched ahead of the user isn't shown yet.
    static func isPart(_ request: HTTPRequest) -> Bool {
        let fields = request.headerFields
        guard mayBePart(request), !NavigationRequest.isSpeculative(request) else { return false }
        if fields.contains(.secFetchSite) { return true }
        if fields.contains(.origin) { return !isOther(request) }
        guard let page = fields[.referer].flatMap(RequestTarget.init(url:)) else { return false }
        return page.authority == RequestTarget("/", host: request.authority)?.authority
    }

    /// The same as far as the deciding fields tell.
    static func mayBePart(_ request: HTTPRequest) -> Bool {
        !NavigationRequest.opensDocument(request) && !NavigationRequest.isForServiceWorker(request)
            && (!request.headerFields.contains(.secFetchSite) || NavigationRequest.isFromSameOrigin(request))
    }

    /// Whether `Origin` names another origin than the request's own, or none that can be told.
    ///
    /// - Parameter scheme: The scheme of the request's own origin; nil where a proxy in front may have another one.
    static func isOther(_ request: HTTPRequest, scheme: String? = nil) -> Bool {
        guard let origin = request.headerFields[.origin] else { return false }
        guard let page = RequestTarget(url: origin), let here = RequestTarget("/", host: request.authority) else {
            return true
        }
        return page.authority != here.authority || scheme.map { $0 != page.scheme } ?? false
    }
}
