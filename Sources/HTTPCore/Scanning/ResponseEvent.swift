import HTTPTypes

/// What ``ResponseStreamScanner`` finds in a stream. A value type; safe to share between threads.
public enum ResponseEvent: Sendable {
    /// The head of a response that another one follows (RFC 9110 §15.2).
    case interim(HTTPResponse)
    /// The head of the response.
    case head(ResponseHead)
    /// A part of the content: the positions of its bytes.
    case content(Range<Int>)
    /// The end of the response.
    case end(trailers: HTTPFields)
}
