import HTTPTypes

/// Tells the requests that show a page from those that fetch a part of one. Pure; safe from any thread.
package enum NavigationRequest {
    /// Whether `request` is for a document that the user will look at, so that a page may stand in for it: a route's entry
    /// page, or the offline page.
    ///
    /// In this order:
    /// 1. `Sec-Fetch-Dest`, when it is there: `document`, `iframe` and `frame` are. `embed` and `object` aren't, though
    ///    Fetch calls them navigations too, because what they show is mostly an image or a PDF, and a page in its place
    ///    would be taken for it.
    /// 2. `Sec-Fetch-Mode`, when it is there: `navigate` is.
    /// 3. Otherwise a GET or HEAD whose `Accept` names HTML: browsers name it in navigations only, and tools that want
    ///    anything send `*/*`.
    package static func isNavigation(_ request: HTTPRequest) -> Bool {
        let fields = request.headerFields
        if let destination = fields[.secFetchDest] {
            return ["document", "iframe", "frame"].contains(token(destination))
        }
        if let mode = fields[.secFetchMode] { return token(mode) == "navigate" }
        guard request.method == .get || request.method == .head, let accept = fields[.accept].map(AcceptField.init)
        else { return false }
        return accept.names("text/html") || accept.names("application/xhtml+xml")
    }

    /// Whether `request` opens a page of its own, and not one in a frame, which belongs to the page around it.
    package static func isTopLevel(_ request: HTTPRequest) -> Bool {
        guard let destination = request.headerFields[.secFetchDest] else { return isNavigation(request) }
        return token(destination) == "document"
    }

    /// Whether `request` makes a document of what it gets, in a window, a frame, or the place of an `object` or `embed`: a page
    /// with scripts then runs in the origin of its URL.
    package static func opensDocument(_ request: HTTPRequest) -> Bool {
        let (mode, destination) = (request.headerFields[.secFetchMode], request.headerFields[.secFetchDest])
        guard mode != nil || destination != nil else { return isNavigation(request) }
        if let mode, token(mode) == "navigate" { return true }
        guard let destination = destination.flatMap(token) else { return false }
        return ["document", "iframe", "frame", "object", "embed", "fencedframe"].contains(destination)
    }

    /// The fields by which ``opensDocument(_:)`` decides.
    package static let decidingFields: [HTTPField.Name] = [.secFetchMode, .secFetchDest, .accept]

    /// Whether `request` is for the script of a service worker, to register it or to look for a newer one.
    package static func isForServiceWorker(_ request: HTTPRequest) -> Bool {
        request.headerFields[.serviceWorker].flatMap(token) == "script"
    }

    /// Whether `request` is made by a page of the same origin, by the user, or by who doesn't say.
    package static func isFromSameSite(_ request: HTTPRequest) -> Bool {
        guard let site = request.headerFields[.secFetchSite] else { return true }
        return ["none", "same-origin"].contains(token(site))
    }

    /// Whether a page of the same origin makes `request`, as the browser says: no page of another one can have it say so.
    package static func isFromSameOrigin(_ request: HTTPRequest) -> Bool {
        request.headerFields[.secFetchSite].flatMap(token) == "same-origin"
    }

    /// The token that a structured field consists of (RFC 9651 §3.3.4), without parameters; nil for anything else.
    private static func token(_ fieldValue: String) -> String? {
        var scanner = FieldScanner(fieldValue)
        scanner.skipWhitespace()
        guard let token = scanner.token(), scanner.parameters() != nil else { return nil }
        scanner.skipWhitespace()
        return scanner.isAtEnd ? String(Substring(token)) : nil
    }
}
