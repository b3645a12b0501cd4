import BundleTesting
import HTTPCore
import HTTPTypes
import NIOCore
import NIOSSL

/// Runs an origin with TLS, which responds to one request of each connection with “hello”.
///
/// - Parameters:
///   - client: The certificate that clients have to show; nil for none.
///   - body: Gets a call to the origin by its address.
func withSecureOrigin(
    _ certificate: TestCertificate,
    requiring client: TestCertificate? = nil,
    _ body: (OriginCall) async throws -> Void
) async throws {
    let server = try certificate.serverContext(requiring: client)
    try await withTalkingOrigin { peer in
        _ = try await peer.head()
        try await peer.respond("hello")
    } _: { origin in
        var call = origin.call()
        call.request.scheme = "https"
        call.connectTo = ConnectTarget(host: "127.0.0.1", port: UInt16(origin.port))
        try await body(call)
    } prepare: { connection in
        try connection.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: server))
    }
}
