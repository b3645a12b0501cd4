import BundleModel
import Foundation
import HTTPCore
import HTTPTypes
import OfflineBundles

/// What becomes of a redirect for a custom scheme. Its tasks can't be told of one: the web view would show the redirect's own
/// body, under the address of the request. Pure.
package enum SchemeRedirect: Equatable, Sendable {
    /// The request that takes the place of the one before, in the same scheme. The web view doesn't learn of it.
    case follow(BundleSchemeURL, HTTPRequest.Method, keepsContent: Bool)
    /// For a page: the window goes to this address, so that the page's relative links lead from there.
    case navigate(String)
    /// It leads where only the web view's own network may go, with the checks of CORS, or to what isn't an address of the web.
    case refuse

    /// What becomes of a response; nil when it isn't a redirect (RFC 9110 §15.4).
    ///
    /// - Parameters:
    ///   - request: The request at the origin.
    ///   - url: The same in the scheme.
    ///   - mappings: Those of the bundle.
    package init?(
        _ head: HTTPResponse,
        to request: WebViewRequest,
        of url: BundleSchemeURL,
        in mappings: [OriginMapping]
    ) {
        guard [301, 302, 303, 307, 308].contains(head.status.code), let location = head.headerFields[.location] else {
            return nil
        }
        guard let target = URL(string: location, relativeTo: URL(string: request.url))?.absoluteString else {
            self = .refuse
            return
        }
        let address = url.location(target, in: mappings)
        let (method, keepsContent) = Self.method(head.status.code, request.request.method)
        if request.isPage, method == .get {
            self = Self.isOfTheWeb(address, or: url.scheme) ? .navigate(address) : .refuse
        } else if let next = BundleSchemeURL(address, scheme: url.scheme), next.name == url.name {
            self = .follow(next, method, keepsContent: keepsContent)
        } else {
            self = .refuse
        }
    }

    /// RFC 9110 §15.4.2 to §15.4.4: as browsers do, POST becomes GET.
    private static func method(_ code: Int, _ method: HTTPRequest.Method) -> (HTTPRequest.Method, keepsContent: Bool) {
        switch code {
        case 303 where method != .head: (.get, false)
        case 301 where method == .post, 302 where method == .post: (.get, false)
        default: (method, true)
        }
    }

    /// A script's or a file's address in a redirect isn't followed by browsers either.
    private static func isOfTheWeb(_ address: String, or scheme: String) -> Bool {
        ["http:", "https:", scheme + ":"].contains { address.lowercased().hasPrefix($0) }
    }
}

/// The page that takes the place of a redirect: it replaces itself with the target, so that going back leads before it.
enum RedirectPage {
    static func response(to address: String, in redirect: ServedResponse) -> ServedResponse {
        let fields: HTTPFields = [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"]
        let head = HTTPResponse(status: .ok, headerFields: fields)
        return .complete(Response(head: head, body: ResponseBody(html(address))), redirect.source)
    }

    /// The fragment of the address before is kept, unless the target has one (RFC 9110 §10.2.2).
    static func html(_ address: String) -> String {
        let target = escaped(address)
        return """
            <!doctype html><html><meta charset="utf-8"><title></title>
            <noscript><meta http-equiv="refresh" content="0; url=\(target)"></noscript><a href="\(target)"></a>
            <script>
            const target = new URL(document.links[0].href);
            if (!target.hash) target.hash = location.hash;
            location.replace(target);
            </script></html>
            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
