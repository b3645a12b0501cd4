import HTTPTypes
import NIOCore

/// A part of an HTTP/1 request. `HTTPRequestPart` doesn't do: it has no place for what the request says of its connection.
enum ReceivedPart: Sendable {
    case head(HTTPRequest, MessageExchange)
    case body(ByteBuffer)
    /// Nothing here has a use for trailers.
    case end
}
