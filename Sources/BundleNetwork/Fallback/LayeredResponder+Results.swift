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
            let response = confined(Response(head: head), match, url)
            return request.method == .head ? .complete(response, source) : .streaming(response.head, body, source)
        case .switching(let head, let tunnel):
            return .switching(confined(Response(head: head), match, url).head, tunnel, source)
        case .nothing(let cause):
            let response =
                damage.map { damaged($0, cause, offlinePage, request) } ?? unavailable(url, cause, offlinePage, request)
            return .complete(response, ResponseSource(.miss, match.release))
        }
    }

    /// An origin's response as the bundle may forward it.
    static func confined(_ response: Response, _ match: ResourceMatch, _ url: String) -> Response {
        var response = response
        response.head.headerFields = response.head.headerFields.confined(to: match, from: url)
        return varied(response, match)
    }
}
