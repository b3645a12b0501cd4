import BundleServing
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A listening socket of an origin, and the connections that it has accepted. Thread-safe.
final class OriginListener: Sendable {
    private struct State: Sendable {
        var connections: [ObjectIdentifier: any Channel] = [:]
        var isStopped = false
    }

    /// The port that it listens on.
    let port: Int
    private let channel: any Channel
    private let state: Monitor<State>

    /// Returns once connections are accepted.
    ///
    /// - Parameter tls: For connections over TLS; nil for clear text.
    /// - Throws: NIO's error when the address can't be bound.
    init(
        host: String,
        port: Int,
        tls: NIOSSLContext?,
        responder: @escaping OriginConnection.Responder
    ) async throws {
        let state = Monitor(State())
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            // An origin that starts again has the port that it had before.
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    try OriginListener.admit(child, to: state)
                    let pipeline = child.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: true, withErrorHandling: true)
                    try pipeline.addHandler(OriginConnection(responder))
                }
            }
            .bind(host: host, port: port).get()
        self.state = state
        self.port = channel.localAddress?.port ?? 0
    }

    /// Stops listening, closes every connection, and returns when both are done.
    func stop() async {
        try? await channel.close()
        let connections = state.update { state in
            state.isStopped = true
            return state.connections
        }
        for connection in connections.values { try? await connection.close() }
    }

    /// - Throws: When the listener has been stopped since the connection was accepted.
    private static func admit(_ child: any Channel, to state: Monitor<State>) throws {
        let isAdmitted = state.update { state in
            if !state.isStopped { state.connections[ObjectIdentifier(child)] = child }
            return !state.isStopped
        }
        guard isAdmitted else { throw ChannelError.ioOnClosedChannel }
        child.closeFuture.whenComplete { _ in state.update { $0.connections[ObjectIdentifier(child)] = nil } }
    }
}
