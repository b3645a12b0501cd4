import BundleServing
import NIOCore

/// What takes the client too long, and the way back to where the connection came from.
extension HTTP1Connection {
    /// As often as anything can become overdue: what begins after one look isn't overdue before the next.
    var watchInterval: TimeAmount {
        let limits = settings.limits
        return TimeAmount(min(limits.idle, limits.headTime, limits.bodyTime, limits.writeStall))
    }

    /// One timer, set again when it fires, costs a request nothing.
    func scheduleWatch(_ context: ChannelHandlerContext, after delay: TimeAmount) {
        watch?.cancel()
        watch = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { [self] in checkProgress(context) }
    }

    private func checkProgress(_ context: ChannelHandlerContext) {
        guard !isOutputClosed else { return context.close(promise: nil) }
        let limits = settings.limits
        var next = watchInterval
        func isOverdue(_ start: NIODeadline, _ limit: Duration) -> Bool {
            let remaining = start + TimeAmount(limit) - .now()
            if remaining > .zero { next = min(next, remaining) }
            return remaining <= .zero
        }
        if let blockedSince, isOverdue(blockedSince, limits.writeStall) { return context.channel.reset() }
        if let awaited, isOverdue(awaited.since, awaited.part == .head ? limits.headTime : limits.bodyTime) {
            self.awaited = nil
            if phase == .receiving { return refuse(with: Overload.requestTime.response, context) }
            refusal = Overload.requestTime.response
        }
        if phase == .receiving, awaited == nil, isOverdue(activeAt, limits.idle) { return context.close(promise: nil) }
        scheduleWatch(context, after: next)
    }

    /// Returns a connection on which nothing is under way to the loop that it came from.
    func returnIfIdle(_ context: ChannelHandlerContext) {
        guard let migration, phase == .receiving, stream.isAtHead, !isDraining, !hasInputEnded,
            received.readableBytes == 0,
            blockedSince == nil
        else { return }
        // Behind what is still to be written.
        let isWritten = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: isWritten)
        isWritten.futureResult.assumeIsolated().whenSuccess { [self] in
            guard phase == .receiving, exchange == nil, received.readableBytes == 0, stream.isAtHead, !isDraining,
                !hasInputEnded
            else { return }
            if migration.comeBack(rate: rate) {
                phase = .lingering
                context.close(promise: nil)
            }
        }
    }
}
