import BundleServing
import NIOCore
import NIOHTTP1

/// Passes only well-formed responses to the HTTP client, because some others end the process, such as a status below
/// 100 with content (async-http-client 1.37.0, `HTTPRequestStateMachine.receivedHTTPResponseBodyPart`: the head counts
/// as an interim one, and content then precedes the final head).
///
/// It is placed between the client's encoder and its decoder: after TLS, and where requests aren't encoded yet.
final class ResponseGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private var scanner = ResponseStreamScanner()
    /// An incomplete line.
    private var waiting = ByteBuffer()
    private var isRefused = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data) { scanner.expectResponse(toHead: head.method == .HEAD) }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        var received = unwrapInboundIn(data)
        if waiting.readableBytes == 0 { waiting = received } else { waiting.writeBuffer(&received) }
        do throws(MalformedResponse) {
            try passOn(context)
        } catch {
            refuse(error, context)
        }
        // Releases the memory of the bytes that have been passed on.
        if waiting.readableBytes == 0 { waiting = ByteBuffer() }
    }

    private func passOn(_ context: ChannelHandlerContext) throws(MalformedResponse) {
        while waiting.readableBytes > 0 {
            let scanned = waiting.withUnsafeReadableBytes(scan)
            guard let part = waiting.readSlice(length: try scanned.get()), part.readableBytes > 0 else { return }
            // Bytes that are already here can't belong to the response to a later request, which may be sent during the
            // next call.
            let isExcess = !scanner.expectsMore && waiting.readableBytes > 0
            context.fireChannelRead(wrapInboundOut(part))
            if isExcess { throw .unsolicited }
        }
    }

    private func scan(_ bytes: UnsafeRawBufferPointer) -> Result<Int, MalformedResponse> {
        Result { () throws(MalformedResponse) in try scanner.scan(bytes) }
    }

    private func refuse(_ problem: MalformedResponse, _ context: ChannelHandlerContext) {
        isRefused = true
        waiting = ByteBuffer()
        context.fireErrorCaught(problem)
        context.close(promise: nil)
    }
}
