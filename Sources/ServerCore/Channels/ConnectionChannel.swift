import Foundation
import HTTPCore
import Logging
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Sets up the channel of a connection: TLS if configured, then HTTP/1.1 or HTTP/2.
package struct ConnectionChannel: Sendable {
    private static let maximumUnsentByteCount = 128 << 10

    let settings: ChannelSettings
    let openChannels = OpenChannels()

    package init(settings: ChannelSettings) {
        self.settings = settings
    }

    /// Creates a channel for a connection that a loop migrates.
    func adopt(_ migrating: MigratingConnection) {
        guard let descriptor = migrating.take() else { return }
        ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FirstBytes(migrating.received))
                    try setUp(channel, permit: migrating.permit, migration: migrating)
                }
            }
            .withConnectedSocket(descriptor)
            // The client has disconnected meanwhile.
            .whenFailure { [logger = settings.logger] in logger.trace("the connection ended early: \($0)") }
    }

    /// Adds the handlers to a new channel.
    ///
    /// - Parameters:
    ///   - permit: Held until the channel is closed.
    ///   - migration: The connection as the loop migrated it; nil if it began as a channel.
    func setUp(_ channel: any Channel, permit: AddressLimiter.Permit, migration: MigratingConnection? = nil) throws {
        openChannels.insert(channel, permit: permit)
        limitUnsentBytes(of: channel)
        let pipeline = channel.pipeline.syncOperations
        if let tls = settings.tls {
            try pipeline.addHandlers(PlainTextRefusal(), NIOSSLServerHandler(context: tls.current.context))
        }
        try pipeline.addHandler(
            ProtocolDetection(isSecure: settings.tls != nil, limit: TimeAmount(settings.limits.headTime)) { version in
                try pipeline.addHandler(handler(for: version, on: channel.eventLoop, permit, migration))
            }
        )
    }

    private func handler(
        for version: ApplicationProtocol,
        on loop: any EventLoop,
        _ permit: AddressLimiter.Permit,
        _ migration: MigratingConnection?
    ) throws -> any ChannelHandler {
        let share = settings.shares.share(of: loop)
        return switch version {
        case .http1: HTTP1Connection(settings, share, permit, migration: migration)
        case .http2: try HTTP2Connection(settings, share, permit)
        }
    }

    /// Limits the unsent bytes in the system's buffer, so that a slow client's progress is visible before it has taken
    /// megabytes: a slow reader isn't a stalled one. Unix sockets have no such limit.
    private func limitUnsentBytes(of channel: any Channel) {
        let option = ChannelOptions.socket(SocketOptionLevel(IPPROTO_TCP), SocketOptionName(TCP_NOTSENT_LOWAT))
        channel.setOption(option, value: SocketOptionValue(Self.maximumUnsentByteCount)).whenFailure { _ in }
    }
}

/// The settings that all channels of a server share.
package struct ChannelSettings: Sendable {
    let responder: any RequestResponder
    let recorder: RequestRecorder
    let limits: ServerLimits
    /// Nil for clear text.
    let tls: TLSIdentitySource?
    let shares: LoopShares
    /// Counts the requests whose responses are awaited or arrive.
    let waiting: AddressLimiter
    let logger: Logger

    /// - Parameters:
    ///   - readyResponseCount: The minimum number of ready responses that each event loop keeps.
    ///   - now: The clock for the `Date` field.
    package init(
        _ responder: any RequestResponder,
        recorder: RequestRecorder,
        limits: ServerLimits,
        tls: TLSIdentitySource?,
        readyResponseCount: Int,
        logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        self.responder = responder
        self.recorder = recorder
        self.limits = limits
        self.tls = tls
        self.logger = logger
        waiting = AddressLimiter(limit: limits.waitingRequests, perAddress: limits.waitingRequestsPerAddress)
        shares = LoopShares(responder, capacity: readyResponseCount, counting: recorder.ledger, now: now)
    }
}

/// Passes on the bytes received before a connection became a channel, ahead of all later ones.
final class FirstBytes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let bytes: ByteBuffer

    init(_ bytes: [UInt8]) {
        self.bytes = ByteBuffer(bytes: bytes)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        context.fireChannelRead(wrapInboundOut(bytes))
        context.fireChannelReadComplete()
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}

extension Channel {
    /// Closes with a TCP reset: the client can't take a partial response for a complete one, as an HTTP/1.0 client
    /// would after an orderly close, and the system keeps no unsent bytes. Over TLS, no close_notify is sent (RFC 9112
    /// §9.8). Thread-safe.
    func reset() {
        _ = (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        guard eventLoop.inEventLoop else { return eventLoop.execute { self.closeBelowTLS() } }
        closeBelowTLS()
    }

    private func closeBelowTLS() {
        guard let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) else {
            return close(promise: nil)
        }
        tls.close(promise: nil)
    }
}
