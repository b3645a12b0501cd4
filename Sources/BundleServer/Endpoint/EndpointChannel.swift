import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Sets a connection up for HTTP/1.1 and answers its requests one after the other.
///
/// Handlers from the socket inwards: idle timer, NIO's parser and encoder, the codec, the connection's lifetime. Whatever
/// answers plain requests straight from bytes belongs between the idle timer and the parser, and passes on what it doesn't
/// understand.
struct EndpointChannel: ServerChildChannel {
    let responder: EndpointResponder
    let idleTimeout: Duration

    func setup(
        channel: any Channel,
        logger: Logger
    ) -> EventLoopFuture<AcceptedConnection> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(IdleStateHandler(allTimeout: TimeAmount(idleTimeout)))
            var encoder = HTTPResponseEncoder.Configuration()
            // NIO frames without regard to the request: it would send chunks after the head that answers HEAD.
            encoder.automaticallySetFramingHeaders = false
            try pipeline.configureHTTPServerPipeline(
                // NIOAsyncChannel's reader takes requests one by one.
                withPipeliningAssistance: false,
                // What can't be parsed is answered in its turn, see RequestLoop.
                withErrorHandling: false,
                // HTTPTypes has validated names and values.
                withOutboundHeaderValidation: false,
                withEncoderConfiguration: encoder
            )
            try pipeline.addHandlers(HTTPMessageCodec(), ConnectionLifetime())
            return AcceptedConnection(
                try NIOAsyncChannel(
                    wrappingChannelSynchronously: channel,
                    configuration: .init(isOutboundHalfClosureEnabled: true)
                )
            )
        }
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        await RequestLoop(responder: responder, logger: logger).run(value.take())
    }
}
