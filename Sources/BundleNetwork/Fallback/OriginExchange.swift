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
}
