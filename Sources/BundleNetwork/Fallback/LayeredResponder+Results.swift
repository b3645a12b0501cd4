import BundleServing
import BundleStore
import HTTPTypes

/// The responses from what the cache and the network have.
extension LayeredResponder {
    /// The response from the result of a fallback.
    ///
    /// - Parameter damage: The bundle's file that can no longer be read; nil when it has none.
    static func served(
        _ result: OriginFallback.Result,
        _ request: HTTPRequest,
        _ url: String,
        _ match: ResourceMatch,
        damage: DamagedFile?,
        offlinePage: Resource?
    ) -> ServedResponse {
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
                damage.map { damaged($0, cause, offlinePage, request) } ?? unavailable(url, cause, offlinePage, request)
            var source = ResponseSource(.miss, match.release)
            if damage == nil, offlinePage == nil { source.failure = cause.failure }
            return .complete(response, source)
        }
    }

    /// The client's side, which gets an origin's interim responses as the bundle may forward them.
    static func confined(_ client: ClientExchange, _ match: ResourceMatch, _ url: String) -> ClientExchange {
        ClientExchange(content: client.content, executor: client.executor, address: client.address) { head in
            var head = head
            head.headerFields = head.headerFields.removingConnectionFields().confined(to: match, from: url)
            client.sendInterim(head)
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
