import BundleServing
import Foundation
import HTTPTypes

/// One request to an origin and the head of its response, with the times that RFC 9111 §4.2.3 uses.
struct OriginExchange: Sendable {
    let url: String
    let request: HTTPRequest
    let requestTime: Date
    let response: HTTPResponse
    let responseTime: Date

    /// Whether the response may serve another request for the same URL: the fields that its Vary names have the same
    /// values (RFC 9111 §4.1).
    func serves(_ other: HTTPRequest) -> Bool {
        let selector = VariantSelector(response.headerFields)
        guard let selection = selector.key(of: request.headerFields) else { return false }
        return selector.key(of: other.headerFields) == selection
    }

    /// The same if its part were the whole, for the rules of storing, which are the same for both (RFC 9111 §3.3).
    var asWhole: OriginExchange {
        guard response.status == .partialContent else { return self }
        var whole = response
        whole.status = .ok
        return responding(to: request, with: whole)
    }

    /// The same with another request and response.
    func responding(to request: HTTPRequest, with response: HTTPResponse) -> OriginExchange {
        OriginExchange(
            url: url,
            request: request,
            requestTime: requestTime,
            response: response,
            responseTime: responseTime
        )
    }

    /// Whether the response is whole, or a part that says which (RFC 9111 §3.3).
    var isWholeOrPart: Bool { response.status != .partialContent || response.receivedPart != nil }
}
