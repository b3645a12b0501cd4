/// Closes the connection of a response that nobody reads any more.
final class ResponseOwner: Sendable {
    let response: PendingResponse

    init(_ response: PendingResponse) {
        self.response = response
    }

    deinit {
        response.abandon()
    }
}
