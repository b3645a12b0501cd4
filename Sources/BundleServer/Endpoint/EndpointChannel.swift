import BundleServing
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOPosix
import NIOSSL

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Sets a connection up for TLS, if it is to be, and for what it carries: HTTP/1.1, whose requests are answered one after the
/// other, or HTTP/2.
///
/// Handlers for HTTP/1.1 from the socket inwards: idle timer, gate, NIO's parser and encoder, the codec, the connection's
/// lifetime.
struct EndpointChannel: Sendable {
    private static let maximumUnsentByteCount = 128 << 10

    let responder: EndpointResponder
    let http2: HTTP2Responder
    let tls: TLSIdentitySource?
    let fast: FastResponders
    let limits: EndpointLimits
    let openChannels = OpenChannels()

    /// `https` when requests come over TLS, otherwise `http`.
    var scheme: String { tls == nil ? "http" : "https" }

    /// Makes a channel of a connection that a loop has handed on.
    ///
    /// - Throws: When the client has gone away meanwhile.
    func adopt(_ migrating: MigratingConnection) async throws -> AcceptedConnection {
        guard let descriptor = migrating.take() else { throw ChannelError.eof }
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .withConnectedSocket(descriptor) { channel in
                let isReady = channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FirstBytes(migrating.received))
                }
                return isReady.flatMap { setUp(channel, seat: migrating.seat, rate: migrating.rate) }
            }
    }

    /// Adds the handlers to a channel that is new.
    ///
    /// - Parameters:
    ///   - seat: Let go when the channel is closed.
    ///   - rate: Of the requests that were answered on the connection before.
    func setUp(
        _ channel: any Channel,
        seat: ConnectionCensus.Seat,
        rate: RequestRate = RequestRate()
    ) -> EventLoopFuture<AcceptedConnection> {
        channel.closeFuture.whenComplete { _ in withExtendedLifetime(seat) {} }
        limitUnsentBytes(of: channel)
        return channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if let tls {
                try pipeline.addHandlers(PlainTextRefusal(), NIOSSLServerHandler(context: tls.current.context))
            }
            let connection = channel.eventLoop.makePromise(of: AcceptedConnection.Connection?.self)
            channel.closeFuture.whenComplete { _ in connection.fail(ChannelError.eof) }
            try pipeline.addHandler(
                ProtocolDetection(isSecure: tls != nil, limit: TimeAmount(limits.headTime)) { version in
                    connection.succeed(try setUp(channel, for: version, rate))
                }
            )
            return AcceptedConnection(channel, connection.futureResult)
        }
    }

    /// Holds back what the system has not sent yet, so that it tells of a client's progress before megabytes have been taken:
    /// one that reads slowly isn't one that doesn't read. Unix sockets have no such limit.
    private func limitUnsentBytes(of channel: any Channel) {
        let option = ChannelOptions.socket(SocketOptionLevel(IPPROTO_TCP), SocketOptionName(TCP_NOTSENT_LOWAT))
        channel.setOption(option, value: SocketOptionValue(Self.maximumUnsentByteCount)).whenFailure { _ in }
    }

    /// Answers on a connection until it is closed.
    func handle(_ connection: () async throws -> AcceptedConnection, logger: Logger) async {
        guard let accepted = try? await connection() else { return }
        let channel = accepted.channel
        openChannels.insert(channel)
        await withTaskCancellationHandler {
            // Whatever goes wrong before there is a request, nobody is there to be told.
            guard let connection = try? await accepted.take() else {
                try? await channel.closeFuture.get()
                return
            }
            await RequestLoop(responder: responder, logger: logger).run(connection)
        } onCancel: {
            openChannels.cut(channel)
        }
    }

    private func setUp(
        _ channel: any Channel,
        for version: ApplicationProtocol,
        _ rate: RequestRate
    ) throws -> AcceptedConnection.Connection? {
        let pipeline = channel.pipeline.syncOperations
        switch version {
        case .http1: return try setUpHTTP1(channel, pipeline, rate)
        case .http2:
            try pipeline.addHandler(
                HTTP2Connection(http2, limits: limits)
            )
            return nil
        }
    }

    private func setUpHTTP1(
        _ channel: any Channel,
        _ pipeline: ChannelPipeline.SynchronousOperations,
        _ rate: RequestRate
    ) throws -> AcceptedConnection.Connection {
        try pipeline.addHandlers(
            IdleStateHandler(writeTimeout: TimeAmount(limits.writeStall), allTimeout: TimeAmount(limits.idle)),
            RequestGate(
                fast.responder(of: channel.eventLoop),
                observer: responder.observer,
                limits: limits,
                rate: rate,
                now: responder.now
            )
        )
        var encoder = HTTPResponseEncoder.Configuration()
        // NIO frames without regard to the request: it would send chunks after the head that answers HEAD.
        encoder.automaticallySetFramingHeaders = false
        // The gate has let the head pass already.
        var decoder = NIOHTTPDecoderLimitConfiguration()
        decoder.maxHeaderFieldSize = limits.head.byteCount
        decoder.maxHeaderListSize = limits.head.byteCount
        decoder.maxHeaderFieldCount = limits.head.fieldCount
        try pipeline.configureHTTPServerPipeline(
            // NIOAsyncChannel's reader takes requests one by one.
            withPipeliningAssistance: false,
            // What can't be parsed is answered in its turn, see RequestLoop.
            withErrorHandling: false,
            // HTTPTypes has validated names and values.
            withOutboundHeaderValidation: false,
            withEncoderConfiguration: encoder,
            withDecoderLimitConfiguration: decoder
        )
        try pipeline.addHandlers(HTTPMessageCodec(), ConnectionLifetime())
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: channel,
            configuration: .init(isOutboundHalfClosureEnabled: true)
        )
    }
}
