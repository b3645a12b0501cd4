import NIOCore

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
