import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOSSL

/// Sets a connection up for TLS, if it is to be, and for what it carries: HTTP/1.1, whose requests are answered one after the
/// other, or HTTP/2.
///
/// Handlers for HTTP/1.1 from the socket inwards: idle timer, NIO's parser and encoder, the codec, the connection's lifetime.
struct EndpointChannel: ServerChildChannel {
    let responder: EndpointResponder
    let http2: HTTP2Responder
    let tls: TLSIdentitySource?
    let idleTimeout: Duration

    func setup(
        channel: any Channel,
        logger: Logger
    ) -> EventLoopFuture<AcceptedConnection> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if let tls {
                try pipeline.addHandlers(PlainTextRefusal(), NIOSSLServerHandler(context: tls.current.context))
            }
            let connection = channel.eventLoop.makePromise(of: AcceptedConnection.Connection?.self)
            channel.closeFuture.whenComplete { _ in connection.fail(ChannelError.eof) }
            try pipeline.addHandler(
                ProtocolDetection(isSecure: tls != nil, limit: TimeAmount(idleTimeout)) { version in
                    connection.succeed(try setUp(channel, for: version))
                }
            )
            return AcceptedConnection(channel, connection.futureResult)
        }
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        let channel = value.channel
        await withTaskCancellationHandler {
            // Whatever goes wrong before there is a request, nobody is there to be told.
            guard let connection = try? await value.take() else {
                try? await channel.closeFuture.get()
                return
            }
            await RequestLoop(responder: responder, logger: logger).run(connection)
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    private func setUp(
        _ channel: any Channel,
        for version: ApplicationProtocol
    ) throws -> AcceptedConnection.Connection? {
        let pipeline = channel.pipeline.syncOperations
        switch version {
        case .http1: return try setUpHTTP1(channel, pipeline)
        case .http2:
            try pipeline.addHandler(
                HTTP2Connection(http2, limits: HTTP2Limits(), timeout: TimeAmount(idleTimeout))
            )
            return nil
        }
    }

    private func setUpHTTP1(
        _ channel: any Channel,
        _ pipeline: ChannelPipeline.SynchronousOperations
    ) throws -> AcceptedConnection.Connection {
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
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: channel,
            configuration: .init(isOutboundHalfClosureEnabled: true)
        )
    }
}
