import HTTPTypes

/// A response's head in the form that a protocol sends, but for `Date`. For one event loop alone.
enum ReadyHead {
    case http1(HTTP1Head)
    case http2(HTTP2ResponseHead)

    init(_ head: HTTPResponse, as format: HeadFormat) {
        switch format {
        case .http1: self = .http1(HTTP1Head(head))
        case .http2: self = .http2(HTTP2ResponseHead(head))
        }
    }
}
