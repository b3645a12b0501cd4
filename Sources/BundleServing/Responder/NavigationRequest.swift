import HTTPTypes

/// Distinguishes requests that open a page from those that fetch a part of one. Pure; safe from any thread.
package enum NavigationRequest {
    /// Whether `request` is for a document that the user will see, so that a page may replace it: a route's entry page,
    /// or the offline page.
    ///
    /// In this order:
    /// 1. `Sec-Fetch-Dest`, if present: `document`, `iframe` and `frame` are. `embed` and `object` aren't, though Fetch
    ///    calls them navigations too, because they mostly show an image or a PDF, and a page would be shown in its
    ///    place.
    /// 2. `Sec-Fetch-Mode`, if present: `navigate` is.
    /// 3. Otherwise a GET or HEAD whose `Accept` names HTML: browsers name it in navigations only, and tools that
    ///    accept anything send `*/*`.
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

    /// Whether `request` opens a top-level page, not one in a frame.
    package static func isTopLevel(_ request: HTTPRequest) -> Bool {
        guard let destination = request.headerFields[.secFetchDest] else { return isNavigation(request) }
        return token(destination) == "document"
    }

    /// Whether `request` fetches or renders ahead of the user, who may never see the result (WHATWG Fetch §3.6).
    package static func isSpeculative(_ request: HTTPRequest) -> Bool {
        request.headerFields.contains(.secPurpose) || request.headerFields.contains(.purpose)
    }

    /// Whether the response becomes a document, in a window, a frame, an `object` or an `embed`: a page with scripts
    /// then runs in the origin of its URL.
    package static func opensDocument(_ request: HTTPRequest) -> Bool {
        let (mode, destination) = (request.headerFields[.secFetchMode], request.headerFields[.secFetchDest])
        guard mode != nil || destination != nil else { return isNavigation(request) }
        if let mode, token(mode) == "navigate" { return true }
        guard let destination = destination.flatMap(token) else { return false }
        return ["document", "iframe", "frame", "object", "embed", "fencedframe"].contains(destination)
    }

    /// What `Sec-Fetch-Dest` names; nil when it is absent, and empty when it isn't a token.
    package static func destination(of request: HTTPRequest) -> String? {
        request.headerFields[.secFetchDest].map { token($0) ?? "" }
    }

    /// The fields by which ``opensDocument(_:)`` decides.
    package static let decidingFields: [HTTPField.Name] = [.secFetchMode, .secFetchDest, .accept]

    /// Whether `request` is for the script of a service worker, to register it or to look for a newer one.
    package static func isForServiceWorker(_ request: HTTPRequest) -> Bool {
        request.headerFields[.serviceWorker].flatMap(token) == "script"
    }

    /// Whether `request` is made by a page of the same origin, by the user, or by a client that doesn't say.
    package static func isFromSameSite(_ request: HTTPRequest) -> Bool {
        guard let site = request.headerFields[.secFetchSite] else { return true }
        return ["none", "same-origin"].contains(token(site))
    }

    /// Whether the browser says that a page of the same origin makes `request`: no page of another origin can cause
    /// that.
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
