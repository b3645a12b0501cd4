import HTTPTypes

/// A response as it is to be sent, but for what the transport adds: `Date` and its own framing.
///
/// A value type; safe to share between threads.
public struct Response: Sendable {
    /// Status and fields. `Content-Length` is always there and right where HTTP allows it.
    public var head: HTTPResponse
    /// What follows the head; empty for HEAD, 204 and 304.
    public var body: ResponseBody

    /// Joins a head and a body as they are.
    public init(head: HTTPResponse, body: ResponseBody = .empty) {
        self.head = head
        self.body = body
    }

    /// A short explanation in plain text. It isn't to be cached: what it says may be over in a second.
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

    /// The same head for a HEAD request: `Content-Length` still tells what GET would send (RFC 9110 §9.3.2).
    public var withoutBody: Response { Response(head: head) }
}
