import HTTPTypes

/// What a request has come to without any waiting.
public enum ResponseStart: Sendable {
    /// The response.
    case complete(Response, ResponseSource, Reuse = .never)
    /// The cache or the network has to be asked, or a delta to be made, which this does, once.
    case waiting(@Sendable () async -> ServedResponse)

    /// Which other requests get the same response, for as long as the responder's generation stays: those with the same method,
    /// authority and deciding fields, and …
    public enum Reuse: Sendable, Comparable {
        /// None: the next response may be another one.
        case never
        /// … the same target.
        case target
        /// … the same path, whatever the query.
        case path
    }

    /// The same with another head, and perhaps for fewer requests.
    package func withHead(
        reuse limit: Reuse = .path,
        _ change: @escaping @Sendable (inout HTTPResponse) -> Void
    ) -> ResponseStart {
        switch self {
        case .complete(var response, let source, let reuse):
            change(&response.head)
            return .complete(response, source, min(reuse, limit))
        case .waiting(let rest):
            return .waiting {
                var response = await rest()
                change(&response.head)
                return response
            }
        }
    }

    /// The whole response, once it is there.
    package var response: ServedResponse {
        get async {
            switch self {
            case .complete(let response, let source, _): .complete(response, source)
            case .waiting(let rest): await rest()
            }
        }
    }
}
