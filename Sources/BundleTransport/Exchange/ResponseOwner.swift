/// Closes the connection of a response that nobody reads any more, and keeps those of the transport until then.
final class ResponseOwner: Sendable {
    let response: PendingResponse
    private let client: TransportClient

    init(_ response: PendingResponse, of client: TransportClient) {
        self.response = response
        self.client = client
    }

    deinit {
        response.abandon()
    }
}
