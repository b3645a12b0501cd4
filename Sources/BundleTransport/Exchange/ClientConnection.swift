import BundleModel
import Foundation
import HTTPCore
import HTTPTypes
import NIOCore
import NIOSSL
import NIOTLS
import Synchronization

/// A connection to an origin, and the exchange that takes place on it: one request after another.
///
/// `@unchecked Sendable`: what isn't constant or atomic is used on the event loop only, apart from ``remoteAddress``,
/// which is set before others get the connection.
final class ClientConnection: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Phase {
        case connecting
        /// There is no exchange.
        case idle
        case exchanging
        /// The rest of a response that nobody reads is short, and discarded.
        case draining
        case closed
    }

    /// How far the content of the request is sent.
    enum Upload {
        case awaitingContinue
        /// For the next part of the content.
        case awaitingContent
        case writing
        case complete
    }

    let key: ConnectionKey
    let loop: any EventLoop
    let limits: TransportLimits
    /// The number of the policy that admits the connection.
    let policyNumber: Atomic<Int>
    private(set) var remoteAddress: SocketAddress?
    let pool: ConnectionPool
    private let tls: TLSClient?

    /// Called with the connection at most once: when requests can be sent or it has failed, unless it was closed before.
    var onReady: ((ClientConnection, Result<Void, any Error>) -> Void)?
    /// Called when the connection is made, before TLS.
    var onConnect: (() -> Void)?

    private var channel: (any Channel)?
    var context: ChannelHandlerContext?
    var phase = Phase.connecting
    var exchange: Exchange?
    var scanner = ResponseStreamScanner()
    /// An incomplete line.
    var waiting = ByteBuffer()
    /// What went wrong, if that isn't the end of the exchange yet.
    private var pendingError: (any Error)?
    var isPaused = false
    var isReadHeld = false
    var hasBeenUsed = false
    var deadline: NIODeadline?
    var timer: (time: NIODeadline, task: Scheduled<Void>)?

    init(_ key: ConnectionKey, on loop: any EventLoop, in pool: ConnectionPool, tls: TLSClient?, policyNumber: Int) {
        self.key = key
        self.loop = loop
        self.pool = pool
        self.tls = tls
        self.policyNumber = Atomic(policyNumber)
        limits = pool.limits
    }

    /// Becomes the handler of a channel.
    func attach(to channel: any Channel) throws {
        guard phase == .connecting else { throw ChannelError.ioOnClosedChannel }
        self.channel = channel
        let pipeline = channel.pipeline.syncOperations
        // What one read brings is to be consumed before the next one.
        try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
        let security = try tls?.handler(for: key.host, port: key.port)
        if let proxy = key.proxy, key.isTunnelled {
            try pipeline.addHandler(TunnelHandshake(to: key.endAuthority, through: proxy, next: security))
        } else if let security {
            try pipeline.addHandler(security)
        }
        try pipeline.addHandler(self)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        onConnect?()
        if tls == nil, !key.isTunnelled { becomeReady(context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted: checkCertificate(context)
        case TunnelHandshake.Event.opened: if tls == nil { becomeReady(context) }
        case ChannelEvent.inputClosed: finishIncoming()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (phase, error) {
        case (.connecting, _): report(.failure(certificateFault(error, context) ?? error))
        // The end of the connection follows.
        case (_, NIOSSLError.uncleanShutdown): pendingError = ConnectionProblem.closed
        default: fail(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        switch phase {
        case .connecting: report(.failure(pendingError ?? ConnectionProblem.closed))
        case .exchanging where scanner.endsWithConnection && pendingError == nil: finish([:], canContinue: false)
        default: fail(pendingError ?? ConnectionProblem.closed)
        }
    }

    func read(context: ChannelHandlerContext) {
        if isPaused { isReadHeld = true } else { context.read() }
    }

    private func checkCertificate(_ context: ChannelHandlerContext) {
        let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
        if NetworkAddress(key.host) == nil {
            guard let certificate, CertificateName.isHost(key.host, of: certificate) else {
                return report(.failure(CertificateFault.otherName))
            }
        }
        guard tls?.pins.admit(certificate, of: key.host) ?? true else {
            return report(.failure(CertificateFault.otherKey))
        }
        becomeReady(context)
    }

    /// The handler for TLS is asked while the error passes: afterwards it has closed its session.
    private func certificateFault(_ error: any Error, _ context: ChannelHandlerContext) -> CertificateFault? {
        let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
        return CertificateFault(error, certificate, of: key.host, now: Date())
    }

    private func becomeReady(_ context: ChannelHandlerContext) {
        guard phase == .connecting else { return }
        remoteAddress = context.channel.remoteAddress
        phase = .idle
        pool.add(self)
        report(.success(()))
    }

    private func report(_ result: Result<Void, any Error>) {
        let report = onReady
        onReady = nil
        onConnect = nil
        report?(self, result)
    }

    /// Closes the connection. What is to be said of the exchange has been said.
    func close() {
        guard phase != .closed else { return }
        if phase != .connecting { pool.remove(self) }
        phase = .closed
        timer?.task.cancel()
        (deadline, timer, waiting) = (nil, nil, ByteBuffer())
        channel?.close(promise: nil)
    }

    /// Ends when the connection has been closed.
    var closed: EventLoopFuture<Void>? { channel?.closeFuture }
}

extension ClientConnection {
    /// Sets the time at which something has to have happened.
    ///
    /// One timer for each connection follows the deadline, and isn't moved when that is.
    func updateDeadline() {
        deadline = currentLimit.map { loop.now + TimeAmount($0) }
        guard let deadline else { return }
        if let timer, timer.time <= deadline { return }
        timer?.task.cancel()
        schedule(at: deadline)
    }

    private func schedule(at time: NIODeadline) {
        timer = (time, loop.scheduleTask(deadline: time) { [weak self] in self?.checkDeadline() })
    }

    private func checkDeadline() {
        timer = nil
        guard let deadline else { return }
        if loop.now < deadline { schedule(at: deadline) } else { expire() }
    }

    private var currentLimit: Duration? {
        switch phase {
        case .connecting, .closed: nil
        case .idle: limits.idling
        case .draining: limits.draining
        case .exchanging: exchange.flatMap(limit)
        }
    }

    private func limit(of exchange: Exchange) -> Duration? {
        // Then it isn't the origin that is waited for.
        if isPaused || exchange.isLongLived { return nil }
        switch exchange.upload {
        case .awaitingContinue: return limits.continuation
        case .awaitingContent: return nil
        case .writing: return limits.silence
        case .complete: return exchange.progress == .received ? limits.silence : limits.firstByte
        }
    }

    private func expire() {
        switch phase {
        case .exchanging where exchange?.upload == .awaitingContinue:
            sendContent()
            updateDeadline()
        case .exchanging: fail(ConnectionProblem.silence(exchange.flatMap(limit) ?? limits.silence))
        case .idle, .draining: close()
        case .connecting, .closed: break
        }
    }
}

extension EventLoop {
    /// Runs `work` on the event loop: at once when this is its thread.
    func runNow(_ work: @escaping @Sendable () -> Void) {
        if inEventLoop { work() } else { execute(work) }
    }
}
