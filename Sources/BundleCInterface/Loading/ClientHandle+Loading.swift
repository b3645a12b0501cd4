import BundleEmbedding
import BundleServing
import BundleStore
import HTTPTypes

extension ClientHandle {
    /// The response if there is one without waiting.
    func begin(_ request: LoadRequest) throws -> ResponseHandle? {
        try checkOpen()
        guard case .complete(let response, let source, _) = client.begin(request.request) else { return nil }
        return ResponseHandle(response.head, source, response.body)
    }

    /// Responds from the layers.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the client is closed meanwhile;
    ///   `CancellationError` when the task is cancelled.
    func respond(to request: LoadRequest) async throws -> ServedResponse {
        try checkOpen()
        let response = await client.respond(to: request.request, from: request.exchange)
        // The response may be the one that says that nobody waits for it.
        try checkOpen()
        try Task.checkCancellation()
        return response
    }

    /// The response with its whole body in memory.
    func load(_ request: LoadRequest, atMost limit: Int) async throws -> ResponseHandle {
        let response = try await respond(to: request)
        if case .complete(let response, let source) = response, response.body.byteCount <= limit {
            return ResponseHandle(response.head, source, response.body)
        }
        let body = ByteSlice(copying: try await response.bytes(atMost: limit))
        return ResponseHandle(response.head, response.source, ResponseBody([body]))
    }
}
