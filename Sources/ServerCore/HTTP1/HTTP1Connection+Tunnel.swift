import BundleModel
import HTTPCore
import HTTPTypes
import Logging
import NIOCore

/// Carrying another protocol (RFC 9110 §7.8): bytes in both directions, each as fast as its receiver takes them, until
/// both have ended or one is broken.
extension HTTP1Connection {
    func open(
        _ tunnel: Tunnel,
        _ head: HTTPResponse,
        _ source: ResponseSource,
        _ exchange: HTTP1Exchange,
        _ context: ChannelHandlerContext
    ) {
        // A responder switches protocols only for a client that has asked for it, and behind the request's content.
        guard head.status == .switchingProtocols, exchange.minorVersion == 1, stream.isAtHead,
            exchange.request?.headerFields.contains(.upgrade) == true
        else { return context.channel.reset() }
        note(head.status.code, source, of: exchange)
        (exchange.isTunnel, exchange.closesConnection) = (true, true)
        stream.becomeTunnel()
        keepAlive(context)
        sendSwitch(head, context)
        let content = content(of: exchange, context)
        exchange.content = content
        exchange.uplink = send(content.stream, into: tunnel, exchange, context)
        relay(tunnel.incoming, exchange, context)
        context.flush()
    }

    /// The connection may be silent for any time, so the system asks whether the client is still there.
    private func keepAlive(_ context: ChannelHandlerContext) {
        context.channel.setOption(.socketOption(.so_keepalive), value: 1).whenFailure { _ in }
    }

    private func sendSwitch(_ head: HTTPResponse, _ context: ChannelHandlerContext) {
        shared.date.update()
        let bytes = shared.date.value.withUnsafeBytes { HTTP1Head(head).bytes(date: $0) }
        var buffer = ByteBuffer(bytes: bytes)
        buffer.writeStaticString("Connection: upgrade\r\n\r\n")
        write(buffer, context)
    }

    private func send(
        _ bytes: BodyStream,
        into tunnel: Tunnel,
        _ exchange: HTTP1Exchange,
        _ context: ChannelHandlerContext
    ) -> Task<Void, Never> {
        let loop = context.eventLoop
        let bound = NIOLoopBound((self, context, exchange), eventLoop: loop)
        return Task {
            let isWhole = await tunnel.sendAll(bytes)
            try? await loop.submit {
                let (connection, context, exchange) = bound.value
                guard connection.exchange === exchange else { return }
                guard isWhole else { return context.channel.reset() }
                exchange.isInputDone = true
                connection.finishTunnel(exchange, context)
            }.get()
        }
    }

    /// The origin has ended its direction.
    func finishTunnelOutput(_ exchange: HTTP1Exchange, _ context: ChannelHandlerContext) {
        exchange.isOutputDone = true
        if pendingWriteCount == 0 { endTunnelOutput(exchange, context) }
    }

    /// Ends the direction to the client; everything is written.
    func endTunnelOutput(_ exchange: HTTP1Exchange, _ context: ChannelHandlerContext) {
        if exchange.isInputDone { return finishTunnel(exchange, context) }
        let bound = NIOLoopBound((self, context, exchange), eventLoop: context.eventLoop)
        // In a turn of its own: while NIO tells that all is written it writes nothing.
        context.eventLoop.execute {
            let (connection, context, exchange) = bound.value
            if connection.exchange === exchange { context.close(mode: .output, promise: nil) }
        }
    }

    /// Lets the client's last bytes reach the origin, which has ended its own direction before: once both have, NIO closes
    /// the channel without telling that the client has ended its side.
    func releaseUplink(of exchange: HTTP1Exchange, _ context: ChannelHandlerContext) {
        guard let uplink = exchange.uplink else { return }
        exchange.content?.end(after: Array(received.readableBytesView))
        exchange.uplink = nil
        context.eventLoop.scheduleTask(in: TimeAmount(settings.limits.idle)) { uplink.cancel() }
    }

    /// Ends the connection once both directions have ended.
    private func finishTunnel(_ exchange: HTTP1Exchange, _ context: ChannelHandlerContext) {
        guard exchange.isInputDone, exchange.isOutputDone, pendingWriteCount == 0 else { return }
        finish(exchange, context)
    }
}

extension Tunnel {
    /// Sends all bytes to the origin, and ends its direction. Returns false when the tunnel is broken.
    func sendAll(_ bytes: BodyStream) async -> Bool {
        do {
            for try await chunk in bytes { try await send(chunk) }
        } catch {
            return false
        }
        await end()
        return true
    }
}
