import BundleNetwork
import BundleServing
import HTTPTypes

/// Responds for an endpoint: from the layers, to the hosts that it answers for, with the fields that it adds.
struct EndpointResponder: RequestResponder {
    let layers: LayeredResponder
    let hosts: HostPolicy
    let fields: AddedFields
    let health: EndpointHealth
    /// Whether requests come over TLS.
    let isSecure: Bool

    var generation: Int64 { layers.generation }

    func begin(_ request: HTTPRequest, at port: Int?) -> ResponseStart {
        beginAdmitted(request, at: port).withHead { [fields, isSecure] head in
            head = fields.decorated(head, for: request, isSecure: isSecure)
        }
    }

    private func beginAdmitted(_ request: HTTPRequest, at port: Int?) -> ResponseStart {
        guard let admitted = hosts.admitted(request, at: port) else {
            return .complete(misdirected(request), ResponseSource(.server))
        }
        let start = layers.begin(admitted)
        // A bundle's own file comes first; the network isn't asked for what this server knows best.
        if case .complete(_, let source, _) = start, source.layer != .miss { return start }
        // A bundle's own host stays the bundle's after its removal: what browsers keep of it is cleared there.
        if HostPolicy.isName(admitted) { return start }
        return health.response(to: admitted).map { .complete($0, ResponseSource(.server)) } ?? start
    }

    private func misdirected(_ request: HTTPRequest) -> Response {
        // The host may have been mapped to a bundle that has left a worker in browsers.
        if NavigationRequest.isForServiceWorker(request) { return LayeredResponder.retiringWorker(request) }
        // Probes come by address or under any name, and what they are told is no secret.
        return health.response(to: request) ?? HostPolicy.refusal(of: request)
    }

    func refusal(_ response: Response, of request: HTTPRequest?) -> Response {
        Response(head: fields.decorated(response.head, for: request, isSecure: isSecure), body: response.body)
    }

    func lost(_ request: HTTPRequest) -> Response { refusal(LayeredResponder.contentLost(request), of: request) }
}
