import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Synchronization

/// A connection that has been accepted and may never be handled: if the server shuts down at that moment, it is
/// dropped, and NIO ends the process when a writer is dropped unfinished.
final class AcceptedConnection: ServerChildChannelValue {
    typealias Connection = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    private let connection: Connection
    private let isTaken = Mutex(false)

    init(_ connection: Connection) {
        self.connection = connection
    }

    deinit {
        guard !isTaken.withLock({ $0 }) else { return }
        Task { [connection] in try? await connection.executeThenClose { _, _ in } }
    }

    var channel: any Channel { connection.channel }

    /// The connection, which the caller must close.
    func take() -> Connection {
        isTaken.withLock { $0 = true }
        return connection
    }
}
