import NIOCore
import NIOHTTPTypes
import Synchronization

/// A connection that has been accepted and perhaps never gets to be handled: when the server shuts down in that moment, it
/// is dropped, and NIO ends the process for a writer that is dropped unfinished.
final class AcceptedConnection: Sendable {
    typealias Connection = NIOAsyncChannel<ReceivedPart, HTTPResponsePart>

    let channel: any Channel
    private let connection: EventLoopFuture<Connection?>
    private let isTaken = Mutex(false)

    /// - Parameter connection: The messages of HTTP/1 when that is what the channel turns out to carry, and nil when it
    ///   serves itself.
    init(_ channel: any Channel, _ connection: EventLoopFuture<Connection?>) {
        self.channel = channel
        self.connection = connection
    }

    deinit {
        guard !isTaken.withLock({ $0 }) else { return }
        channel.close(promise: nil)
        Task { [connection] in try? await connection.get()?.executeThenClose { _, _ in } }
    }

    /// The messages of HTTP/1, to be closed by the one who takes them; nil when the channel serves itself.
    ///
    /// - Throws: When the channel is closed before it is known what it carries.
    func take() async throws -> Connection? {
        isTaken.withLock { $0 = true }
        return try await connection.get()
    }
}
