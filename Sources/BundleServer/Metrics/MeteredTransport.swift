import BundleNetwork
import BundleServing
import HTTPTypes

/// Counts the responses from origins.
struct MeteredTransport: OriginTransport {
    let transport: any OriginTransport
    let metrics: EndpointMetrics

    func send(_ call: OriginCall) async throws -> OriginResponse {
        let response = try await transport.send(call)
        guard response.tunnel == nil else { return response }
        if let content = response.body.arrived {
            metrics.originBytesReceived(content.count)
            return response
        }
        let body = response.body.map { [metrics] chunk in
            metrics.originBytesReceived(chunk.count)
            return chunk
        }
        return OriginResponse(
            head: response.head,
            body: BodyStream(body, trailers: { [body = response.body] in body.trailers })
        )
    }
}
