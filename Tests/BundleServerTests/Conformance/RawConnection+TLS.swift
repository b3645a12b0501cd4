import BundleTesting
import NIOCore
import NIOPosix
import NIOSSL

/// Connects to 127.0.0.1 over TLS, whatever the certificate, offers one protocol (RFC 7301) and what `configure` sets,
/// and passes the connection to `body`.
func withRawConnection<Result: Sendable>(
    to port: Int,
    offering protocolName: String,
    configure: (inout TLSConfiguration) -> Void = { _ in },
    _ body: (RawConnection) async throws -> Result
) async throws -> Result {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateVerification = .none
    configuration.applicationProtocols = [protocolName]
    configure(&configuration)
    let context = try NIOSSLContext(configuration: configuration)
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                let handler = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
                try channel.pipeline.syncOperations.addHandler(handler)
                return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                    wrappingChannelSynchronously: channel,
                    configuration: .init(isOutboundHalfClosureEnabled: true)
                )
            }
        }
    return try await channel.executeThenClose { input, output in try await body(RawConnection(input, output)) }
}
