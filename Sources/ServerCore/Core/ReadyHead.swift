import HTTPTypes

/// A response's head in the format of a protocol, without `Date`. For use on one event loop.
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
