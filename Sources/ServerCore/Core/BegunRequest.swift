import HTTPCore
import HTTPTypes

/// A request with all its fields that the responder has begun, and whose response has to be awaited.
struct BegunRequest: Sendable {
    let request: HTTPRequest
    /// Awaits the response; to be called once.
    let response: @Sendable (ClientExchange) async -> ServedResponse
}
