import BundleServing
import BundleStore
import HTTPTypes

/// The responses that the server makes itself.
extension LayeredResponder {
    /// For every method except GET, HEAD and OPTIONS (RFC 9110 §15.5.6).
    package static let methodNotAllowed = Response.plain(
        .methodNotAllowed,
        "Only \(Responder.allowedMethods) are supported here.",
        fields: [.allow: Responder.allowedMethods, .cacheStatus: CacheStatus(nil, detail: "method").fieldValue]
    )

    /// For an extended CONNECT with another protocol than WebSocket (RFC 9220 §3).
    static let protocolNotImplemented = Response.plain(
        .notImplemented,
        "Only websocket is supported as :protocol.",
        fields: [.cacheStatus: CacheStatus(nil, detail: "protocol").fieldValue]
    )

    static let options = Response(
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
    static func ambiguous(_ request: HTTPRequest) -> Response {
        let text =
            "No origin is asked for this path: a server could take a part of it for “.” or “..”; write it without."
        return plain(.badRequest, text, CacheStatus(nil, detail: "path"), request)
    }

    /// 301, which every client follows, including the oldest web views; only GET and HEAD get it, so it doesn't matter
    /// that clients may change other methods to GET. Not cached, because the next version may have a file of this name.
    static func redirect(to location: String, _ request: HTTPRequest) -> Response {
        var response = plain(.movedPermanently, "See \(location)", CacheStatus(.hit, detail: "folder"), request)
        response.head.headerFields[.location] = location
        return response
    }

    static func loopDetected(_ url: String, _ request: HTTPRequest) -> Response {
        let text = "\(url) leads back to this server; map the bundle's origin to where its files really are."
        return plain(
            HTTPResponse.Status(code: 508),
            text,
            .noResponse("no response"),
            request
        )
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
    static func withdrawn(_ match: ResourceMatch, _ request: HTTPRequest, _ isNavigation: Bool) -> Response {
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

/// The responses from what the cache and the network have.
extension LayeredResponder {
    /// The response from the result of a fallback, which is counted.
    ///
    /// Not inlined: its variables would stay in memory for as long as the request waits.
    @inline(never)
    func ended(
        _ result: OriginFallback.Result,
        _ missing: MissingResource,
        after duration: Duration
    ) -> ServedResponse {
        usage?.note(result, to: missing, after: duration)
        return Self.ruled(Self.served(result, missing), missing.request, by: missing.rule)
    }

    private static func served(_ result: OriginFallback.Result, _ missing: MissingResource) -> ServedResponse {
        let (request, url, match) = (missing.request, missing.url, missing.match)
        let source = ResponseSource(.network, match.release)
        switch result {
        case .stored(let representation, let layer):
            let response = confined(Responder.respond(to: request, with: representation), match, url)
            return .complete(response, ResponseSource(layer, match.release))
        case .partial(let response, let layer):
            return .complete(confined(response, match, url), ResponseSource(layer, match.release))
        case .passing(let head, let body):
            var response = confined(Response(head: head), match, url)
            guard request.method != .head else { return .complete(response, source) }
            guard let content = body.arrived else {
                let body = body.changingTrailers { $0.confined(to: match, from: url) }
                return .streaming(response.head, body, source)
            }
            response.take(content)
            return .complete(response, source)
        case .switching(let head, let tunnel):
            return .switching(confined(Response(head: head), match, url).head, tunnel, source)
        case .nothing(let cause):
            let response =
                missing.damage.map { damaged($0, cause, missing.offlinePage, request) }
                ?? unavailable(url, cause, missing.offlinePage, request)
            var source = ResponseSource(.miss, match.release)
            if missing.damage == nil, missing.offlinePage == nil { source.failure = cause.failure }
            return .complete(response, source)
        }
    }

    /// An origin's response as the bundle may forward it.
    static func confined(_ response: Response, _ match: ResourceMatch, _ url: String) -> Response {
        var response = response
        response.head.headerFields = response.head.headerFields.confined(to: match, from: url)
        return varied(response, match)
    }
}

extension Response {
    /// Takes the content, and states its length where the origin hasn't: what is complete isn't sent in chunks.
    fileprivate mutating func take(_ content: [UInt8]) {
        body = ResponseBody([ByteSlice(copying: content)])
        let hasLength = head.headerFields.contains(.contentLength)
        if !hasLength, ![.noContent, .notModified].contains(head.status) {
            head.headerFields[.contentLength] = String(content.count)
        }
    }
}

/// The fields by which pages know their release.
extension LayeredResponder {
    /// The fields that tell a page which release it is of: `Server-Timing`, which its scripts can read, and its version
    /// cookie, unless the client has that. Nil for anything but a page, and for a release that isn't active.
    ///
    /// A page below a path has the cookie a second time, for its calls: those are at the host's root.
    func pageFields(for resource: Resource, _ match: ResourceMatch, _ kind: RequestTraits) -> HTTPFields? {
        guard setsVersionCookies, kind.isTopLevel, resource.layer == .active,
            MediaType(resource.mediaType)?.isPage == true
        else { return nil }
        let release = resource.asset.release
        var fields: HTTPFields = [.serverTiming: "bundle;desc=\"\(release.name)@\(release.version)\""]
        let cookie = VersionCookie(release.releaseName, of: match.publisherCookie)
        if !kind.cookies.contains(cookie) {
            fields[values: .setCookie] = [match.publicRootPath, match.pageCallPath].compactMap(\.self)
                .map(cookie.fieldValue(path:))
        }
        return fields
    }

    static func adding(_ pageFields: HTTPFields?, to response: Response) -> Response {
        guard let pageFields, [.ok, .notModified].contains(response.head.status) else { return response }
        var response = response
        response.head.headerFields.append(contentsOf: pageFields)
        return response
    }
}
