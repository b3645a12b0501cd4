/// Ends the request of a response that nobody reads any more, and keeps the session until then.
final class URLResponseOwner: Sendable {
    let response: PendingURLResponse
    private let transport: URLSessionTransport

    init(_ response: PendingURLResponse, of transport: URLSessionTransport) {
        self.response = response
        self.transport = transport
    }

    deinit {
        response.abandon()
    }
}
