import BundleNetwork
import BundleServing
import HTTPTypes

/// Counts what comes from origins.
struct MeteredTransport: OriginTransport {
    let transport: any OriginTransport
    let metrics: EndpointMetrics

    func send(_ request: HTTPRequest) async throws -> OriginResponse {
        let response = try await transport.send(request)
        let body = response.body.map { [metrics] chunk in
            metrics.originBytesReceived(chunk.count)
            return chunk
        }
        return OriginResponse(head: response.head, body: BodyStream(body))
    }
}
