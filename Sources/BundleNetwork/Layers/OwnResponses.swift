import BundleServing
import BundleStore
import HTTPTypes

/// The responses that the server makes itself. Pure; safe from any thread.
package enum OwnResponses {
    /// The response to what concerns no bundle: to OPTIONS for the server as a whole (RFC 9110 §9.3.7), and to a method that
    /// can't be passed on; nil for any other request. TRACE would reveal to a page what is added to its requests (§9.3.8),
    /// and CONNECT for anything but a WebSocket would make this server a proxy for anything.
    static func withoutBundle(_ request: HTTPRequest) -> Response? {
        switch request.method {
        case .trace: methodNotAllowed
        case .connect where request.extendedConnectProtocol == nil: methodNotAllowed
        case .connect where !request.asksForWebSocket: protocolNotImplemented
        case .options where request.path == "*": options
        default: nil
        }
    }

    /// The response to what the bundle lacks when there is no origin to ask.
    static func withoutOrigin(
        _ call: LayeredRequest,
        _ request: HTTPRequest,
        _ match: ResourceMatch,
        _ damage: DamagedFile?
    ) -> ResponseStart {
        let (miss, server) = (ResponseSource(.miss, match.release), ResponseSource(.server, match.release))
        guard call.isForFile else { return .complete(methodNotAllowed, server) }
        if request.method == .options { return .complete(options, server) }
        if let damage { return .complete(damaged(damage, nil, nil, request), miss) }
        if match.isWithdrawn { return .complete(withdrawn(match, request, call.isNavigation), miss) }
        return .complete(notFound("The bundle has no such file, and no origin to ask.", request), miss, .path)
    }

    /// For every method except GET, HEAD and OPTIONS (RFC 9110 §15.5.6).
    private static let methodNotAllowed = Response.plain(
        .methodNotAllowed,
        "Only \(Responder.allowedMethods) are supported here.",
        fields: [.allow: Responder.allowedMethods, .cacheStatus: CacheStatus(nil, detail: "method").fieldValue]
    )

    /// For an extended CONNECT with another protocol than WebSocket (RFC 9220 §3).
    private static let protocolNotImplemented = Response.plain(
        .notImplemented,
        "Only websocket is supported as :protocol.",
        fields: [.cacheStatus: CacheStatus(nil, detail: "protocol").fieldValue]
    )

    private static let options = Response(
        head: HTTPResponse(
            status: .noContent,
            headerFields: [
                .allow: Responder.allowedMethods,
                .xContentTypeOptions: "nosniff",
                .cacheStatus: CacheStatus(nil, detail: "options").fieldValue,
            ]
        )
    )

    static func notFound(_ text: String, _ request: HTTPRequest) -> Response {
        plain(.notFound, text, CacheStatus(nil, detail: "miss"), request)
    }

    /// For a path that an origin could interpret as another one, see ``/BundleServing/ResourceMatch/isAmbiguous``.
    static func ambiguous(_ request: HTTPRequest, _ match: ResourceMatch) -> ResponseStart {
        let text =
            "No origin is asked for this path: a server could take a part of it for “.” or “..”; write it without."
        let response = plain(.badRequest, text, CacheStatus(nil, detail: "path"), request)
        return .complete(response, ResponseSource(.miss, match.release), .target)
    }

    /// Leads to a folder's address with its slash: 301, which every client follows, including the oldest web views; only GET
    /// and HEAD get it, so it doesn't matter that clients may change other methods to GET. Not cached, because the next
    /// version may have a file of this name.
    static func folder(at location: String, _ request: HTTPRequest, _ match: ResourceMatch) -> ResponseStart {
        guard request.method != .options else { return .complete(options, ResponseSource(.server, match.release)) }
        var response = plain(.movedPermanently, "See \(location)", CacheStatus(.hit, detail: "folder"), request)
        response.head.headerFields[.location] = location
        return .complete(response, ResponseSource(.active, match.release), .target)
    }

    static func loopDetected(_ forwarded: ForwardedRequest, _ match: ResourceMatch) -> ResponseStart {
        let text = "\(forwarded.url) leads back to this server; map the bundle's origin to where its files really are."
        let status = HTTPResponse.Status(code: 508)
        let response = plain(status, text, .noResponse("no response"), forwarded.request)
        return .complete(response, ResponseSource(.miss, match.release))
    }

    /// The offline page, or a plain explanation; 504 in both cases (RFC 9110 §15.6.5), so that the page isn't mistaken
    /// for the requested resource.
    static func unavailable(
        _ url: String,
        _ cause: Unavailability,
        _ offlinePage: Resource?,
        _ request: HTTPRequest
    ) -> Response {
        guard let offlinePage else {
            return plain(.gatewayTimeout, cause.explanation(for: url), .noResponse(cause.detail), request)
        }
        let status = CacheStatus(.forwarded(.uriMiss), detail: "offline page")
        return page(offlinePage, .gatewayTimeout, status, request)
    }

    /// 504: nothing of the release may be used, and there is no origin to ask.
    private static func withdrawn(_ match: ResourceMatch, _ request: HTTPRequest, _ isNavigation: Bool) -> Response {
        let status = CacheStatus(nil, detail: "withdrawn")
        guard let offlinePage = isNavigation ? match.offlinePage : nil else {
            let text =
                "\(match.release.name) \(match.release.version) must not be used any more, and there is no origin to ask."
            return plain(.gatewayTimeout, text, status, request)
        }
        return page(offlinePage, .gatewayTimeout, status, request)
    }

    /// 500 (RFC 9110 §15.6.1): the requested file belongs to the bundle, but its bytes are lost in the store.
    ///
    /// - Parameter cause: Why the network couldn't supply it; nil when there is no origin to ask.
    static func damaged(
        _ file: DamagedFile,
        _ cause: Unavailability?,
        _ offlinePage: Resource?,
        _ request: HTTPRequest
    ) -> Response {
        let status = CacheStatus(cause.map { _ in .forwarded(.uriMiss) }, detail: "damaged")
        return offlinePage.map { page($0, .internalServerError, status, request) }
            ?? plain(.internalServerError, file.explanation(cause), status, request)
    }

    /// Replaces a response whose bytes are found to be lost when they are sent.
    package static func contentLost(_ request: HTTPRequest) -> Response {
        let text = "What was asked for is damaged in the store. \(DamagedFile.advice)"
        return plain(.internalServerError, text, CacheStatus(nil, detail: "damaged"), request)
    }

    private static func page(
        _ resource: Resource,
        _ status: HTTPResponse.Status,
        _ cacheStatus: CacheStatus,
        _ request: HTTPRequest
    ) -> Response {
        let page = resource.representation
        var fields = page.fields
        fields[.cacheControl] = "no-store"
        fields[.cacheStatus] = cacheStatus.fieldValue
        let representation = Representation(
            status: status,
            mediaType: page.mediaType,
            content: page.content,
            fields: fields
        )
        return Responder.respond(to: request, with: representation)
    }

    static func plain(
        _ status: HTTPResponse.Status,
        _ text: String,
        _ cacheStatus: CacheStatus,
        _ request: HTTPRequest
    ) -> Response {
        let response = Response.plain(status, text, fields: [.cacheStatus: cacheStatus.fieldValue])
        return request.method == .head ? response.withoutBody : response
    }
}

extension CacheStatus {
    fileprivate static func noResponse(_ detail: String) -> CacheStatus {
        CacheStatus(.forwarded(.uriMiss), detail: detail)
    }
}
