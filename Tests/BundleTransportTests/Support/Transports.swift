import BundleModel
import BundleNetwork
import BundleServing
import BundleTesting
import HTTPTypes

@testable import BundleTransport

/// A response that was read to its end.
struct ReadResponse {
    let head: HTTPResponse
    let text: String
    let trailers: HTTPFields
}

/// Lends a transport with these limits.
func withTransport<Result>(
    _ limits: TransportLimits = TransportLimits(),
    network: OriginNetwork = OriginNetwork(),
    tls: TLSClient = TLSClient(),
    proxies: ForwardProxies = .none,
    _ body: (NIOTransport) async throws -> Result
) async throws -> Result {
    try await withTransport(NIOTransport(limits, network: network, tls: tls, proxies: proxies), body)
}

extension NIOTransport {
    /// Sends a request and reads the whole response.
    func read(_ call: OriginCall) async throws -> ReadResponse {
        let response = try await send(call)
        let bytes = try await response.body.all()
        return ReadResponse(
            head: response.head,
            text: String(decoding: bytes, as: UTF8.self),
            trailers: response.body.trailers
        )
    }
}

extension BodyStream {
    /// The whole body.
    func all() async throws -> [UInt8] {
        try await reduce(into: []) { $0 += $1 }
    }
}
