import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection that is idle, and one whose last response is sent when the client doesn't; and when the server shuts
/// down closes it after the last response.
///
/// Hummingbird's `HTTPConnectionStateHandler` doesn't do: it closes as soon as the response's end is written, though the
/// socket may not have taken everything; it doesn't announce the end; and it waits for ever for a client that stops reading.
final class ConnectionLifetime: ChannelDuplexHandler {
    typealias InboundIn = ReceivedPart
    typealias InboundOut = ReceivedPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var activity = ConnectionActivity()
    private var linger: Scheduled<Void>?

    func handlerRemoved(context: ChannelHandlerContext) {
        linger?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        activity.read(unwrapInboundIn(data))
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        if case .head(var head) = part, activity.isDraining {
            head.headerFields[.connection] = "close"
            part = .head(head)
        }
        activity.beginWrite()
        let isEnd = if case .end = part { true } else { false }
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.assumeIsolated().whenComplete { [self] _ in
            activity.endWrite(ofResponseEnd: isEnd)
            if activity.isDrained { context.close(promise: nil) }
        }
        context.write(wrapOutboundOut(part), promise: written)
    }

    /// After the last response the client's end is waited for, but not longer than for silence.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output, linger == nil {
            linger = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(EndpointLimits.linger)) {
                context.close(promise: nil)
            }
        }
        context.close(mode: mode, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            activity.isDraining = true
            if activity.isDrained { context.close(promise: nil) }
        case IdleStateHandler.IdleStateEvent.write:
            if activity.isWriting { context.channel.reset() }
        case IdleStateHandler.IdleStateEvent.all:
            if activity.waitsForClient { context.close(promise: nil) }
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }
}
