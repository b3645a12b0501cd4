import BundleServing
import BundleStore
import Foundation
import NIOCore

/// Reads the heads of requests before anything else does, and lets only those pass that can be read in one way. What is
/// plain it answers itself, when nothing before is still unanswered; everything else it passes on unchanged and in order.
final class RequestGate: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Goes out behind the last part of each response that was asked for behind the gate.
    struct ResponseEnd: Sendable {}

    /// A part of a request that the client is in the middle of.
    private enum Part {
        case head
        case content
    }

    /// A longer body is left to who sends it as the client takes it.
    private static let maximumBodyByteCount = 64 << 10

    private let scanner: RequestHeadScanner
    private let limits: EndpointLimits
    private let fast: FastResponders.OfLoop
    private let observer: RequestObserver?
    private let now: @Sendable () -> Date
    private var stream = RequestStream()
    private var received = ByteBuffer()
    private var rate: RequestRate
    /// How many requests were passed on and are not yet answered.
    private var passedCount = 0
    private var pendingWriteCount = 0
    private var isQuiescing = false
    private var isRefusing = false
    /// Whether a request was passed on after which nothing is answered.
    private var hasPassedLast = false
    private var awaited: Part?
    private var deadline: Scheduled<Void>?

    /// - Parameters:
    ///   - fast: That of the channel's event loop.
    ///   - observer: Nil when nobody wants to know.
    ///   - rate: Of the requests that were answered on the connection before.
    init(
        _ fast: FastResponders.OfLoop,
        observer: RequestObserver?,
        limits: EndpointLimits,
        rate: RequestRate,
        now: @escaping @Sendable () -> Date
    ) {
        self.fast = fast
        self.observer = observer
        self.limits = limits
        self.rate = rate
        self.now = now
        scanner = RequestHeadScanner(limits: limits.head)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefusing else { return }
        received.writeImmutableBuffer(unwrapInboundIn(data))
        let isInHead = passWhatIsThere(context)
        if received.readableBytes == 0 { received = ByteBuffer() }
        time(isInHead ? .head : stream.isAtHead ? nil : .content, context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if pendingWriteCount > 0 { context.flush() }
        context.fireChannelReadComplete()
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext,
        event: Any,
        promise: EventLoopPromise<Void>?
    ) {
        guard event is ResponseEnd else { return context.triggerUserOutboundEvent(event, promise: promise) }
        passedCount -= 1
        promise?.succeed()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Those behind would close the connection, which takes what isn't yet written with it.
        guard event is ChannelShouldQuiesceEvent, pendingWriteCount > 0 else {
            return context.fireUserInboundEventTriggered(event)
        }
        isQuiescing = true
    }

    /// Returns whether the rest is a part of a head.
    private func passWhatIsThere(_ context: ChannelHandlerContext) -> Bool {
        while received.readableBytes > 0 {
            let contentCount = stream.passContent(received.readableBytes)
            if contentCount > 0 {
                received.readSlice(length: contentCount).map { context.fireChannelRead(wrapInboundOut($0)) }
                continue
            }
            guard !hasPassedLast else {
                received = ByteBuffer()
                return false
            }
            switch received.withUnsafeReadableBytes(scanner.scan) {
            case .incomplete: return true
            case .complete(let head): pass(head, context)
            case .malformed(let problem): refuse(problem.response, context)
            // It isn't what the connection has been set up for.
            case .http2: refuse(MalformedRequest.version.response, context)
            }
            if isRefusing { return false }
        }
        return false
    }

    private func pass(_ head: RequestHead, _ context: ChannelHandlerContext) {
        // The next one has time of its own.
        time(nil, context)
        guard rate.count(at: context.eventLoop.now, limit: limits.requestsPerSecond) else {
            return refuse(Overload.requests.response, context)
        }
        if let response = response(to: head, context) {
            received.moveReaderIndex(forwardBy: head.byteCount)
            send(response, context)
        } else if let bytes = readHead(head) {
            passedCount += 1
            stream.pass(head)
            hasPassedLast = head.closesConnection
            context.fireChannelRead(wrapInboundOut(bytes))
        }
    }

    /// The bytes of a head. NIO's parser knows no minor version above 1, which RFC 9110 §2.5 takes for that.
    private func readHead(_ head: RequestHead) -> ByteBuffer? {
        guard var bytes = received.readSlice(length: head.byteCount) else { return nil }
        let minorVersion = bytes.readerIndex + head.target.upperBound + " HTTP/1.".utf8.count
        if head.minorVersion == 1, bytes.getInteger(at: minorVersion) != UInt8(ascii: "1") {
            bytes.setInteger(UInt8(ascii: "1"), at: minorVersion)
        }
        return bytes
    }

    private func response(to head: RequestHead, _ context: ChannelHandlerContext) -> ByteBuffer? {
        guard passedCount == 0, !isQuiescing, !head.closesConnection, context.channel.isWritable else { return nil }
        let start = observer.map { _ in ContinuousClock.now }
        return received.withUnsafeReadableBytes { bytes in
            guard let response = fast.responder.response(to: head, in: bytes),
                response.prepared.body.count <= Self.maximumBodyByteCount, let date = HTTPDate(now())
            else { return nil }
            let buffer = ByteBuffer(response, date: date.fieldValue, allocator: context.channel.allocator)
            // The handler behind this one reports the loss.
            guard !response.prepared.body.hasFaulted else { return nil }
            if let start { observe(response.prepared, response.form, to: head, in: bytes, context, since: start) }
            return buffer
        }
    }

    private func observe(
        _ response: ReadyResponse,
        _ form: ReadyResponse.Form,
        to head: RequestHead,
        in bytes: UnsafeRawBufferPointer,
        _ context: ChannelHandlerContext,
        since start: ContinuousClock.Instant
    ) {
        guard let observer else { return }
        let client = observer.log == nil ? .absent : LogText(context.channel.remoteAddress?.ipAddress)
        observer.record(AccessRecord(response, form, to: head, in: bytes, from: client, at: now(), since: start))
    }

    private func send(_ response: ByteBuffer, _ context: ChannelHandlerContext) {
        pendingWriteCount += 1
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [self] _ in
            pendingWriteCount -= 1
            guard isQuiescing, pendingWriteCount == 0 else { return }
            context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        context.write(wrapOutboundOut(response), promise: written)
    }

    /// Who is behind explains it to the client, after the responses to what came before.
    private func refuse(_ response: Response, _ context: ChannelHandlerContext) {
        let isHead = received.withUnsafeReadableBytes(RequestHeadScanner.isForHead)
        isRefusing = true
        received = ByteBuffer()
        context.fireErrorCaught(RefusedRequest(response: isHead ? response.withoutBody : response))
    }

    /// Puts an end to what takes the client too long, timed from its first byte.
    private func time(_ part: Part?, _ context: ChannelHandlerContext) {
        guard part != awaited else { return }
        awaited = part
        deadline?.cancel()
        guard let part, !isRefusing else { return }
        let limit = part == .head ? limits.headTime : limits.bodyTime
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) { [self] in
            refuse(Overload.requestTime.response, context)
        }
    }
}

extension ByteBuffer {
    fileprivate init(_ response: FastResponse, date: String, allocator: ByteBufferAllocator) {
        let headByteCount = response.headByteCount
        let body = response.form == .whole ? response.prepared.body : nil
        self = allocator.buffer(capacity: headByteCount + 2 + (body?.count ?? 0))
        var date = date
        writeWithUnsafeMutableBytes(minimumWritableBytes: headByteCount) { target in
            guard let base = target.baseAddress else { return 0 }
            date.withUTF8 { response.copyHead(date: UnsafeRawBufferPointer($0), to: base) }
            return headByteCount
        }
        writeStaticString("\r\n")
        body?.withUnsafeBytes { _ = writeBytes($0) }
    }
}
