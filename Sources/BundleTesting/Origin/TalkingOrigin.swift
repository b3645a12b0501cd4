import BundleServing
import HTTPTypes
import NIOCore
import NIOPosix
import Synchronization

/// A server each of whose connections follows a script.
package struct TalkingOrigin: Sendable {
    package let port: Int
    /// How many connections there were, and how many of them have ended.
    package let connections: Monitor<(count: Int, ended: Int)>

    package var authority: String { "127.0.0.1:\(port)" }

    package func request(
        _ method: HTTPRequest.Method = .get,
        _ path: String = "/",
        _ fields: HTTPFields = [:]
    ) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: authority, path: path, headerFields: fields)
    }

    package func call(
        _ method: HTTPRequest.Method = .get,
        _ fields: HTTPFields = [:],
        content: [[UInt8]]? = nil
    ) -> OriginCall {
        var call = OriginCall(request(method, "/", fields))
        call.content = content.map { parts in BodyStream(parts.stream) }
        return call
    }

    /// Waits until all connections have ended.
    package func waitForEnds() async throws {
        _ = try await connections.wait(for: "the ends of all connections", deadline: .seconds(30)) {
            $0.count == $0.ended ? () : nil
        }
    }
}

/// Runs a server that speaks as `script` says.
///
/// - Parameter prepare: Called with each connection before it is used.
@discardableResult
package func withTalkingOrigin<Result>(
    _ script: @escaping @Sendable (Peer) async throws -> Void,
    _ body: (TalkingOrigin) async throws -> Result,
    prepare: @escaping @Sendable (any Channel) throws -> Void = { _ in }
) async throws -> Result {
    let connections = Monitor((count: 0, ended: 0))
    let tasks = Mutex<[Task<Void, Never>]>([])
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { child in
            child.eventLoop.makeCompletedFuture {
                try prepare(child)
                let client = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                    wrappingChannelSynchronously: child,
                    configuration: .init(isOutboundHalfClosureEnabled: true)
                )
                // Counted before the client can see anything of the connection, such as a certificate that it refuses.
                let number = connections.update { state in
                    defer { state.count += 1 }
                    return state.count
                }
                let task = Task { await serve(client, number, connections, script) }
                tasks.withLock { $0.append(task) }
            }
        }
        .bind(host: "127.0.0.1", port: 0).get()
    let origin = TalkingOrigin(port: server.localAddress?.port ?? 0, connections: connections)
    return try await withCleanup {
        try await body(origin)
    } cleanUp: {
        try? await server.close()
        for task in tasks.withLock({ $0 }) {
            task.cancel()
            await task.value
        }
    }
}

private func serve(
    _ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>,
    _ number: Int,
    _ connections: Monitor<(count: Int, ended: Int)>,
    _ script: @Sendable (Peer) async throws -> Void
) async {
    try? await client.executeThenClose { input, output in
        try? await script(Peer(number, RawConnection(input, output), client.channel))
    }
    connections.update { $0.ended += 1 }
}

extension Array where Element == [UInt8] {
    /// The parts one after the other.
    package var stream: AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            for part in self { continuation.yield(part) }
            continuation.finish()
        }
    }
}
