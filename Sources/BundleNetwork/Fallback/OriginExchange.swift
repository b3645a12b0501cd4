import Foundation
import HTTPTypes

/// One request to an origin and the head of its response, with the times that RFC 9111 §4.2.3 uses.
struct OriginExchange: Sendable {
    let url: String
    let request: HTTPRequest
    let requestTime: Date
    let response: HTTPResponse
    let responseTime: Date
}
