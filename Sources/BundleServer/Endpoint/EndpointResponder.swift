import BundleNetwork
import BundleServing
import BundleStore
import HTTPTypes

/// Responds for an endpoint: from the layers, for the hosts that it serves, with the fields that it adds.
struct EndpointResponder: RequestResponder {
    let layers: LayeredResponder
    let live: LiveConfiguration
    let health: EndpointHealth
    let pages: PageResponder
    let loads: PageLoads
    let missing: MissingParts
    /// Whether clients on this machine get codings too.
    let codesForLocalClients: Bool
    /// Whether requests come over TLS.
    let isSecure: Bool
    let refresh: PromptRefresh

    var generation: Int64 {
        refresh()
        return layers.generation &+ live.generation
    }

    func begin(_ request: HTTPRequest, on connection: ConnectionInfo) -> ResponseStart {
        let terms = live.terms
        return beginAdmitted(request, on: connection, terms).withHead { [isSecure] head in
            head = terms.fields.decorated(head, for: request, isSecure: isSecure)
        }
    }

    private func beginAdmitted(
        _ request: HTTPRequest,
        on connection: ConnectionInfo,
        _ terms: ResponseTerms
    ) -> ResponseStart {
        refresh()
        guard let admitted = terms.hosts.admitted(request, at: connection.port).map(pages.atRoot) else {
            return misdirected(request)
        }
        let role = loads.role(of: admitted)
        guard role != .unrelated else {
            return beginNoted(admitted, on: connection, terms)
        }
        if role == .cookieReplacement, NavigationRequest.isSpeculative(admitted) { return Self.notAhead }
        if case .part(let name) = role { loads.note(admitted, of: name) }
        return beginNoted(admitted, on: connection, terms).withHead(reuse: .never) { _ in }
    }

    /// Browsers then fetch the page when the user opens it.
    private static let notAhead = ResponseStart.complete(
        .plain(.serviceUnavailable, "The release of this page is on trial; it isn't fetched ahead."),
        ResponseSource(.server)
    )

    private func beginNoted(
        _ admitted: HTTPRequest,
        on connection: ConnectionInfo,
        _ terms: ResponseTerms
    ) -> ResponseStart {
        if let start = pages.begin(admitted) { return start }
        let mayCode = !connection.isLocal || codesForLocalClients
        let begun = layers.begin(admitted, mayCode: mayCode)
        let start = missing.noting(begun, of: admitted)
        // A bundle's own file takes precedence; the network isn't used for the server's own health.
        if case .complete(_, let source, _) = start, source.layer != .miss { return start }
        // A bundle's own host stays reserved after its removal: browsers are told there to clear the bundle's data.
        if HostPolicy.isName(admitted) { return start }
        // The page of a bundle that is mounted at the root may come from its origin.
        if case .complete = start, let overview = terms.overview.begin(admitted) { return overview }
        return health.response(to: admitted).map { .complete($0, ResponseSource(.server)) } ?? start
    }

    private func misdirected(_ request: HTTPRequest) -> ResponseStart {
        var source = ResponseSource(.server)
        // The host may have been mapped to a bundle that has left a worker in browsers.
        if NavigationRequest.isForServiceWorker(request) {
            return .complete(BundleIsolation.retiringWorker(request), source)
        }
        // Probes use an address or any name, and their responses aren't secret.
        if let response = health.response(to: request) { return .complete(response, source) }
        source.refusedHost = request.authority
        return .complete(HostPolicy.refusal(of: request), source)
    }

    func refusal(_ response: Response, of request: HTTPRequest?) -> Response {
        Response(
            head: live.terms.fields.decorated(response.head, for: request, isSecure: isSecure),
            body: response.body
        )
    }

    func lost(_ request: HTTPRequest) -> Response { refusal(OwnResponses.contentLost(request), of: request) }
}

extension ClientExchange {
    /// The content of the request; empty when it has none.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `tooLarge` when it is longer than `limit` bytes; what the
    ///   transport throws when the client is gone.
    func content(atMost limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        guard let content else { return bytes }
        for try await chunk in content {
            bytes += chunk
            guard bytes.count <= limit else {
                throw BundleError(.tooLarge, "the content has over \(limit) bytes")
            }
        }
        return bytes
    }
}
