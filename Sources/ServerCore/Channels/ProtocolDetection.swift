import HTTPCore
import NIOCore
import NIOTLS

/// Detects the protocol of a connection, sets up the pipeline for it, and passes on the bytes read. Over TLS the
/// protocol is negotiated (RFC 7301); in clear text a client with prior knowledge of HTTP/2 begins with the preface
/// (RFC 9113 §3.3).
final class ProtocolDetection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let isSecure: Bool
    private let limit: TimeAmount
    private let setUp: (ApplicationProtocol) throws -> Void
    private var received = ByteBuffer()
    private var deadline: Scheduled<Void>?

    /// - Parameters:
    ///   - isSecure: Whether there is a TLS handler in front.
    ///   - limit: How long detection may take.
    ///   - setUp: Adds the handlers for the protocol behind this one.
    init(isSecure: Bool, limit: TimeAmount, setUp: @escaping (ApplicationProtocol) throws -> Void) {
        self.isSecure = isSecure
        self.limit = limit
        self.setUp = setUp
    }

    func handlerAdded(context: ChannelHandlerContext) {
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.writeImmutableBuffer(unwrapInboundIn(data))
        guard !isSecure, let isPresent = received.withUnsafeReadableBytes(HTTP2Preface.isPresent) else { return }
        finish(isPresent ? .http2 : .http1, context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted(let negotiated):
            finish(negotiated == "h2" ? .http2 : .http1, context)
        case is ChannelShouldQuiesceEvent, ChannelEvent.inputClosed:
            // No request is waiting for a response.
            context.close(promise: nil)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func finish(_ version: ApplicationProtocol, _ context: ChannelHandlerContext) {
        do {
            try setUp(version)
        } catch {
            return context.close(promise: nil)
        }
        if received.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(received)) }
        received = ByteBuffer()
        context.fireChannelReadComplete()
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}

/// The protocol of a connection.
enum ApplicationProtocol: Sendable {
    /// HTTP/1.1 and 1.0 (RFC 9112).
    case http1
    /// HTTP/2 (RFC 9113).
    case http2
}

/// Responds to a client that uses HTTP without TLS: usually the “s” of “https” is missing in its URL.
final class PlainTextRefusal: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var isRefusing = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefusing else { return }
        let bytes = unwrapInboundIn(data)
        // A TLS client begins with a record of type “handshake”, 22 (RFC 8446 §5.1); a method begins with a capital
        // letter.
        let isMethod = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self).map { (0x41...0x5A).contains($0) }
        guard isMethod == true else {
            context.fireChannelRead(data)
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            return
        }
        isRefusing = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.response))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    private static let response = """
        HTTP/1.1 400 Bad Request\r
        Connection: close\r
        Content-Length: \(explanation.utf8.count)\r
        Content-Type: text/plain; charset=utf-8\r
        \r
        \(explanation)
        """

    private static let explanation = "This port speaks HTTPS; use an address that begins with https://.\n"
}
