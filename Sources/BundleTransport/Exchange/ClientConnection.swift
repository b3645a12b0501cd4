import BundleServing
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

    /// How much of a response that nobody reads is received for the sake of the connection.
    private static let maximumDrainedByteCount = 16 << 10

    let key: ConnectionKey
    let loop: any EventLoop
    let limits: TransportLimits
    /// The number of the policy that admits the connection.
    let policyNumber: Atomic<Int>
    private(set) var remoteAddress: SocketAddress?
    private let pool: ConnectionPool
    private let tls: TLSClient?

    /// Called once, when requests can be sent or the connection has failed.
    var onReady: ((Result<Void, any Error>) -> Void)?
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
    private(set) var isPaused = false
    private var isReadHeld = false
    private var hasBeenUsed = false
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
        if let tls { try pipeline.addHandler(tls.handler(for: key.host)) }
        try pipeline.addHandler(self)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        onConnect?()
        if tls == nil { becomeReady(context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted: becomeReady(context)
        case ChannelEvent.inputClosed: finishIncoming()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (phase, error) {
        case (.connecting, _): report(.failure(error))
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
        report?(result)
    }
}

// MARK: - Exchanges

extension ClientConnection {
    /// Sends a request. Its response fails if the connection was closed in the meantime.
    func start(_ request: EncodedRequest, _ response: PendingResponse) {
        guard phase == .idle, let context else {
            return response.fail(ExchangeFailure(cause: ConnectionProblem.closed, progress: .notSent))
        }
        guard !response.isOver else { return becomeIdle() }
        if hasBeenUsed, !request.canBeRepeatedOnceSent, context.channel.isClosedByPeer {
            close()
            return response.fail(ExchangeFailure(cause: ConnectionProblem.closed, progress: .notSent))
        }
        hasBeenUsed = true
        phase = .exchanging
        let exchange = Exchange(request: request, response: response)
        self.exchange = exchange
        scanner.expectResponse(toHead: request.isHead, mayUpgrade: request.mayUpgrade)
        context.writeAndFlush(wrapOutboundOut(request.head), promise: nil)
        guard phase == .exchanging else { return }
        exchange.progress = .sent
        if exchange.upload == .awaitingContent { sendContent() }
        updateDeadline()
    }

    /// Ends the exchange with its response.
    ///
    /// - Parameter canContinue: Whether another request may be sent.
    func finish(_ trailers: HTTPFields, canContinue: Bool) {
        guard let ended = exchange else { return }
        exchange = nil
        ended.contentTask?.cancel()
        let isKept =
            canContinue && ended.head?.keepsConnection == true && ended.request.keepsConnection
            && ended.upload == .complete
        if isKept { becomeIdle() }
        ended.batch.end = trailers
        _ = ended.response?.deliver(ended.batch)
        if !isKept { close() }
    }

    private func becomeIdle() {
        phase = .idle
        resumeReading()
        pool.release(self)
    }

    /// Ends the exchange with an error, and closes the connection.
    func fail(_ error: any Error) {
        let failed = exchange
        exchange = nil
        close()
        guard let failed else { return }
        failed.contentTask?.cancel()
        if !failed.batch.isEmpty { _ = failed.response?.deliver(failed.batch) }
        let progress = failed.contentTask == nil ? failed.progress : .received
        failed.response?.fail(failed.head == nil ? ExchangeFailure(cause: error, progress: progress) : error)
    }

    /// Closes the connection, if the exchange is the one of a response.
    func cancel(_ response: PendingResponse) {
        if exchange?.response === response { fail(CancellationError()) }
    }

    /// Discards the rest of a response that nobody reads if it is short, and closes the connection otherwise.
    func abandon(_ response: PendingResponse) {
        guard exchange?.response === response else { return }
        guard let rest = scanner.remainingByteCount, rest <= Self.maximumDrainedByteCount,
            exchange?.upload == .complete
        else { return fail(CancellationError()) }
        phase = .draining
        exchange?.response = nil
        resumeReading()
    }

    /// The other protocol's bytes end here; the direction to the origin may stay open.
    private func finishIncoming() {
        guard let ended = exchange, ended.isTunnel else { return fail(ConnectionProblem.closed) }
        var batch = ResponseBatch()
        batch.end = [:]
        _ = ended.response?.deliver(batch)
        if ended.hasEndedOutput { close() }
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

// MARK: - Back-pressure

extension ClientConnection {
    /// Reads no more until the content that has arrived is consumed.
    func pauseReading() { isPaused = true }

    /// Reads on, if the exchange is the one of a response.
    func resumeReading(of response: PendingResponse) {
        if exchange?.response === response { resumeReading() }
    }

    private func resumeReading() {
        isPaused = false
        updateDeadline()
        guard isReadHeld else { return }
        isReadHeld = false
        context?.read()
    }
}
