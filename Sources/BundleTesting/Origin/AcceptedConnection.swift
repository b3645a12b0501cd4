import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Synchronization

/// A connection that has been accepted and perhaps never gets to be handled: when the server shuts down in that moment, it
/// is dropped, and NIO ends the process for a writer that is dropped unfinished.
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

    /// The connection, to be closed by the one who takes it.
    func take() -> Connection {
        isTaken.withLock { $0 = true }
        return connection
    }
}
