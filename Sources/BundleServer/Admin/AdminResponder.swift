import BundleServing
import BundleStore
import HTTPTypes

/// Responds on the operator's own listener: `/metrics`, `/healthz`, `/readyz`, and the dashboard.
struct AdminResponder: RequestResponder {
    /// The hosts that count as the machine's own, now.
    let hosts: @Sendable () -> OwnHosts
    let health: EndpointHealth
    let metrics: MetricSources
    let dashboard: DashboardResponder

    /// Responses are never kept.
    var generation: Int64 { 0 }

    func begin(_ request: HTTPRequest, on connection: ConnectionInfo) -> ResponseStart {
        .waiting { client in await respond(to: request, client) }
    }

    func refusal(_ response: Response, of request: HTTPRequest?) -> Response { response }

    func lost(_ request: HTTPRequest) -> Response { .plain(.internalServerError, "The response was lost.") }

    private func respond(to request: HTTPRequest, _ client: ClientExchange) async -> ServedResponse {
        // Probes use an address or any name, and their responses aren't secret.
        if let response = health.response(to: request) { return .complete(response, ResponseSource(.server)) }
        // A page whose own name resolves to this machine's address must not read the rest (DNS rebinding). Only
        // HTTP/1.0 has requests without a host, and no browser sends them.
        guard request.authority.map(hosts().contains(authority:)) ?? true else {
            return .complete(HostPolicy.refusal(of: request), ResponseSource(.server))
        }
        if let response = await dashboard.respond(to: request, client) { return response }
        return .complete(await response(to: request), ResponseSource(.server))
    }

    private func response(to request: HTTPRequest) async -> Response {
        guard request.path?.prefix(while: { $0 != "?" }) == "/metrics" else {
            return finished(.plain(.notFound, "There are /, /metrics, /healthz and /readyz here."), request)
        }
        guard request.method == .get || request.method == .head else {
            return .plain(.methodNotAllowed, "Only GET and HEAD are supported here.", fields: [.allow: "GET, HEAD"])
        }
        return finished(await page(), request)
    }

    private func page() async -> Response {
        var response = Response.plain(.ok, "")
        response.body = ResponseBody(PrometheusText(await metrics.page()).text)
        response.head.headerFields[.contentType] = PrometheusText.mediaType
        response.head.headerFields[.contentLength] = String(response.body.byteCount)
        return response
    }

    private func finished(_ response: Response, _ request: HTTPRequest) -> Response {
        request.method == .head ? response.withoutBody : response
    }
}
