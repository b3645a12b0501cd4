import BundleEmbedding
import BundleServing
import BundleStore
import CBundle
import HTTPTypes

/// A request from C. A value type.
struct LoadRequest: Sendable {
    let request: HTTPRequest
    private let content: [UInt8]?

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` for something that isn't a request.
    init(_ request: UnsafePointer<ob_request>) throws(BundleError) {
        let request = try CArgument.structure(request, "ob_request")
        let method = try request.method.map { method throws(BundleError) in try Self.method(method) }
        let url = try CArgument.text(request.url, "the URL")
        var head = try HTTPRequest(loading: url, method: method ?? .get, isPage: request.is_page != 0)
        for field in UnsafeBufferPointer(start: request.fields, count: request.fields == nil ? 0 : request.field_count)
        {
            head.headerFields.append(try Self.field(field))
        }
        let content = UnsafeRawBufferPointer(start: request.content, count: request.content_length)
        self.content = request.content.map { _ in Array(content) }
        // Without it the content would be sent in chunks, which not every origin takes.
        head.headerFields[.contentLength] = self.content.map { "\($0.count)" }
        self.request = head
    }

    /// The content for the layers.
    var exchange: ClientExchange { ClientExchange(content: content.map { BodyStream($0) }, interim: { _ in }) }

    private static func method(_ pointer: UnsafePointer<CChar>) throws(BundleError) -> HTTPRequest.Method {
        let text = try CArgument.text(pointer, "the method")
        guard let method = HTTPRequest.Method(text) else {
            throw BundleError(.invalidArgument, "“\(Printable.text(text))” is not a method; correct it")
        }
        return method
    }

    private static func field(_ field: ob_field) throws(BundleError) -> HTTPField {
        let field = try CArgument.field(field)
        guard field.name != .upgrade else {
            throw BundleError(.invalidArgument, "upgraded connections have no callbacks; leave the field Upgrade out")
        }
        return field
    }
}

extension ClientHandle {
    /// The response if there is one without waiting.
    func begin(_ request: LoadRequest) throws -> ResponseHandle? {
        try checkOpen()
        guard case .complete(let response, let source, _) = client.startResponse(to: request.request) else {
            return nil
        }
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
        let body = ByteSlice(copying: try await response.bytes(atMost: limit, ofAnyStatus: true))
        return ResponseHandle(response.head, response.source, ResponseBody([body]))
    }
}
