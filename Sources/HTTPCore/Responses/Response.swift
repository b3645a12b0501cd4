import HTTPTypes

/// A response ready to be sent, except for what the transport adds: `Date` and its own framing.
///
/// A value type; safe to share between threads.
public struct Response: Sendable {
    /// Status and fields. `Content-Length` is always present and correct where HTTP allows it.
    public var head: HTTPResponse
    /// The body; empty for HEAD, 204 and 304.
    public var body: ResponseBody

    /// Combines a head and a body without changing them.
    public init(head: HTTPResponse, body: ResponseBody = .empty) {
        self.head = head
        self.body = body
    }

    /// A short explanation in plain text. It must not be cached: it may soon be outdated.
    ///
    /// - Parameters:
    ///   - status: For example 404 or 504.
    ///   - text: A sentence for a person; a line break is added.
    ///   - fields: Further fields, such as `Cache-Status`. The explanation's own take precedence.
    public static func plain(_ status: HTTPResponse.Status, _ text: String, fields: HTTPFields = [:]) -> Response {
        let body = ResponseBody(text + "\n")
        var fields = fields
        fields[.contentType] = MediaType.plainText.string
        fields[.contentLength] = String(body.byteCount)
        fields[.cacheControl] = "no-store"
        fields[.xContentTypeOptions] = "nosniff"
        return Response(head: HTTPResponse(status: status, headerFields: fields), body: body)
    }

    /// The response to a HEAD request: `Content-Length` is still that of GET (RFC 9110 §9.3.2).
    public var withoutBody: Response { Response(head: head) }
}
