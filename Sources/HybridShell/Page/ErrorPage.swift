import HTTPCore
import HTTPTypes
import OfflineBundles

/// What a user sees in place of a page that neither the bundle, the cache nor the network has: what has happened, and what can
/// be done. The bundle's own offline page comes first.
enum ErrorPage {
    /// Why there is no page.
    enum Reason: String, CaseIterable, Sendable {
        case offline
        case unreachable
        case refused
        case missing
        case untrusted

        init(_ failure: ResponseSource.Failure) {
            switch failure {
            case .offline, .onlyIfCached: self = .offline
            case .noResponse: self = .unreachable
            case .denied: self = .refused
            case .invalidURL: self = .missing
            }
        }

        var title: String {
            switch self {
            case .offline: "You are offline"
            case .unreachable: "This page can't be reached"
            case .refused: "This page may not be opened"
            case .missing: "This page doesn't exist"
            case .untrusted: "This page's server can't be trusted"
            }
        }

        var advice: String {
            switch self {
            case .offline: "This page isn't stored on this device. Connect to the network, and try again."
            case .unreachable:
                "This page isn't stored on this device, and its server doesn't respond. Check the network connection, or try again later."
            case .refused: "Its address belongs to a network that this app doesn't connect to."
            case .missing: "The address isn't one of this app. Go back, or start again."
            case .untrusted:
                "The certificate of its server isn't valid, or nobody who is trusted has issued it. Check the date of this device, or try again later."
            }
        }
    }

    static func html(_ reason: Reason, url: String) -> String {
        """
        <!doctype html><html lang="en"><meta charset="utf-8"><title>\(reason.title)</title>
        <meta name="viewport" content="width=device-width">
        <style>
        :root { color-scheme: light dark }
        body { font: 18px/1.5 system-ui, sans-serif; max-width: 32em; margin: 18vh auto 0; padding: 0 1.5em }
        h1 { font-size: 1.6em; margin: 0 0 .4em } code { font-size: .8em; opacity: .7; overflow-wrap: anywhere }
        a { display: inline-block; margin: 1.2em 0; padding: .5em 1.4em; border-radius: .4em; background: #1a5fb4; color: #fff;
            text-decoration: none }
        </style>
        <h1>\(reason.title)</h1><p>\(reason.advice)</p><p><a href="\(escaped(url))">Try again</a></p>
        <code>\(escaped(url))</code></html>
        """
    }

    /// The same response with the page as its body, when it is the line of text for a missing page.
    static func replacing(_ response: ServedResponse, of url: String, isPage: Bool) -> ServedResponse {
        guard isPage, let failure = response.source.failure, response.head.status.code >= 400 else { return response }
        var fields: HTTPFields = [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"]
        fields[.cacheStatus] = response.head.headerFields[.cacheStatus]
        let head = HTTPResponse(status: response.head.status, headerFields: fields)
        return .complete(Response(head: head, body: ResponseBody(html(Reason(failure), url: url))), response.source)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
