import HTTPCore
import HTTPTypes
import NIOCore

/// Asks a proxy for a tunnel (RFC 9110 §9.3.6), before anything else is sent, and leaves the pipeline when it is open. The
/// limit of connecting limits it, and the scanner how much the proxy may send.
final class TunnelHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The event for the handlers behind it: the tunnel is open.
    enum Event {
        case opened
    }

    private let request: String
    private let next: (any ChannelHandler)?
    private var scanner = ResponseStreamScanner()
    private var waiting = ByteBuffer()
    private var isOver = false

    /// - Parameters:
    ///   - authority: What the tunnel leads to: host and port.
    ///   - next: Takes its place when the tunnel is open.
    init(to authority: String, through proxy: ForwardProxy, next: (any ChannelHandler)?) {
        let field = proxy.credential.map { "Proxy-Authorization: \($0.fieldValue)\r\n" } ?? ""
        request = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\(field)\r\n"
        self.next = next
    }

    func channelActive(context: ChannelHandlerContext) {
        // The response is read as that to a HEAD: a tunnel's has no content, and that of a refusal isn't read.
        scanner.expectResponse(toHead: true)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        var received = unwrapInboundIn(data)
        waiting.writeBuffer(&received)
        do throws(MalformedResponse) {
            guard let status = try scan() else { return }
            isOver = true
            guard (200..<300).contains(status) else { return context.fireErrorCaught(ProxyFailure.status(status)) }
            // The host speaks only when it is spoken to: more can only be the proxy's.
            guard waiting.readableBytes == 0 else { throw .unsolicited }
            open(context)
        } catch {
            isOver = true
            context.fireErrorCaught(ProxyFailure.malformed(error))
        }
    }

    /// The status of the response once its head has arrived.
    private func scan() throws(MalformedResponse) -> Int? {
        let result = waiting.withUnsafeReadableBytes { bytes in
            var taken = 0
            let status = Result { () throws(MalformedResponse) -> Int? in
                while let event = try scanner.next(bytes, &taken) {
                    if case .head(let head) = event { return head.response.status.code }
                }
                return nil
            }
            return (status, taken)
        }
        waiting.moveReaderIndex(forwardBy: result.1)
        return try result.0.get()
    }

    private func open(_ context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            if let next { try pipeline.addHandler(next, position: .after(self)) }
        } catch {
            return context.fireErrorCaught(error)
        }
        context.fireUserInboundEventTriggered(Event.opened)
        pipeline.removeHandler(self, promise: nil)
    }
}

/// Why a proxy gives no connection. It is the cause of the error that a transport throws then.
enum ProxyFailure: Error, Equatable {
    /// It responds with this status in place of a tunnel, or asks for a user and a password.
    case status(Int)
    /// What it sends isn't an HTTP response.
    case malformed(MalformedResponse)
}
