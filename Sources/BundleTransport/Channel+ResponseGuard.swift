import NIOCore
import NIOHTTP1

extension Channel {
    /// Puts a ``ResponseGuard`` before the HTTP client's decoder, and a ``ContentJoiner`` after it. On the event loop.
    ///
    /// - Returns: Always a success: on failure the channel is closed, which the client treats as closed by the server.
    func guardResponses() -> EventLoopFuture<Void> {
        do {
            let pipeline = pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(ResponseGuard(), position: .before(decoder))
            try pipeline.addHandler(ContentJoiner(), position: .after(decoder))
        } catch {
            close(promise: nil)
        }
        return eventLoop.makeSucceededVoidFuture()
    }
}
