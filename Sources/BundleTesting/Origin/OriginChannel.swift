import HummingbirdCore
import Logging
import NIOCore

/// Hummingbird's HTTP/1.1 connection, made safe for a server that stops while a connection is being accepted.
struct OriginChannel: ServerChildChannel {
    private let http1: HTTP1Channel

    init(responder: @escaping HTTPChannelHandler.Responder) {
        http1 = HTTP1Channel(responder: responder)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        http1.setup(channel: channel, logger: logger).map(AcceptedConnection.init)
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        await http1.handle(value: value.take(), logger: logger)
    }
}
