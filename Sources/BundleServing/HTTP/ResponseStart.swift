import HTTPTypes

/// The outcome of a request without waiting.
public enum ResponseStart: Sendable {
    /// The response.
    case complete(Response, ResponseSource, Reuse = .never)
    /// The cache or the network has to be consulted, or a delta made; the closure does this, and may be called once.
    case waiting(@Sendable (ClientExchange) async -> ServedResponse)

    /// Which other requests get the same response while the responder's generation doesn't change: those with the same
    /// method, authority and deciding fields, and …
    public enum Reuse: Sendable, Comparable {
        /// None: the next response may differ.
        case never
        /// … the same target.
        case target
        /// … the same path, whatever the query.
        case path
    }

    /// The same with a changed head, and with its reuse limited to `limit`.
    package func withHead(
        reuse limit: Reuse = .path,
        _ change: @escaping @Sendable (inout HTTPResponse) -> Void
    ) -> ResponseStart {
        switch self {
        case .complete(var response, let source, let reuse):
            change(&response.head)
            return .complete(response, source, min(reuse, limit))
        case .waiting(let rest):
            return .waiting { client in
                var response = await rest(client)
                change(&response.head)
                return response
            }
        }
    }

    /// The response, awaited if necessary.
    package func response(to client: ClientExchange = .none) async -> ServedResponse {
        switch self {
        case .complete(let response, let source, _): .complete(response, source)
        case .waiting(let rest): await rest(client)
        }
    }
}
