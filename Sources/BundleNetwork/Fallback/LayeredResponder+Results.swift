import BundleServing
import BundleStore
import HTTPTypes

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
