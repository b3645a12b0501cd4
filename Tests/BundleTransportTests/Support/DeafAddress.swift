import BundleTesting
import NIOCore
import NIOPosix

/// Lends an address where connections are neither accepted nor refused: its queue is full.
///
/// - Parameter port: The port, or 0 for any; then the address comes with the port.
func withDeafAddress<Result>(port: Int, _ body: (String) async throws -> Result) async throws -> Result {
    let host = "127.0.0.7"
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.backlog, value: 0)
        .serverChannelOption(.autoRead, value: false)
        .bind(host: host, port: port).get()
    let address = try SocketAddress(ipAddress: host, port: server.localAddress?.port ?? 0)
    // The queue takes one more than its length says (listen(2)).
    let filler = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(to: address).get()
    return try await withCleanup {
        try await body(port == 0 ? "\(host):\(address.port ?? 0)" : host)
    } cleanUp: {
        try? await filler.close()
        try? await server.close()
    }
}
