import HTTPTypes

/// A response on its way to a client. A value type; safe to share between threads.
public enum ServedResponse: Sendable {
    /// A response with a complete body.
    case complete(Response, ResponseSource)
    /// A head, and a body that is still arriving from the origin.
    case streaming(HTTPResponse, BodyStream, ResponseSource)

    /// The status and fields.
    public var head: HTTPResponse {
        get {
            switch self {
            case .complete(let response, _): response.head
            case .streaming(let head, _, _): head
            }
        }
        set {
            switch self {
            case .complete(let response, let source):
                self = .complete(Response(head: newValue, body: response.body), source)
            case .streaming(_, let body, let source): self = .streaming(newValue, body, source)
            }
        }
    }

    /// The body; empty when it is still arriving.
    public var body: ResponseBody {
        if case .complete(let response, _) = self { response.body } else { .empty }
    }

    /// Where it came from.
    public var source: ResponseSource {
        switch self {
        case .complete(_, let source), .streaming(_, _, let source): source
        }
    }
}
