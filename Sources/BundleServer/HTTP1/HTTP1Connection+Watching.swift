import BundleServing
import NIOCore

/// What takes the client too long, and the way back to where the connection came from.
extension HTTP1Connection {
    /// One timer, set again when it fires, costs a request nothing.
    func scheduleWatch(_ context: ChannelHandlerContext, after delay: TimeAmount) {
        watch?.cancel()
        watch = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { [self] in checkProgress(context) }
    }

    private func checkProgress(_ context: ChannelHandlerContext) {
        guard !isOutputClosed else { return context.close(promise: nil) }
        let limits = settings.limits
        var next = limits.watchInterval
        func isOverdue(_ start: NIODeadline, _ limit: Duration) -> Bool {
            let remaining = start + TimeAmount(limit) - context.eventLoop.now
            if remaining > .zero { next = min(next, remaining) }
            return remaining <= .zero
        }
        if pendingWriteCount > 0, isOverdue(writtenAt, limits.writeStall) { return context.channel.reset() }
        if let awaited, isOverdue(awaited.since, awaited.part == .head ? limits.headTime : limits.bodyTime) {
            self.awaited = nil
            if phase == .receiving { return refuse(with: Overload.requestTime.response, context) }
            // Nothing is said behind the last response.
            if exchange?.closesConnection == false, !isDraining { refusal = Overload.requestTime.response }
        }
        // A client that takes its time for responses isn't idle.
        if phase == .receiving, awaited == nil, pendingWriteCount == 0 {
            if isOverdue(activeAt, limits.idle) { return context.close(promise: nil) }
            // A silent connection takes less memory in its loop.
            comeBack(context)
        }
        scheduleWatch(context, after: next)
    }

    /// Whether nothing is under way.
    private var isIdle: Bool {
        phase == .receiving && exchange == nil && stream.isAtHead && received.readableBytes == 0 && !isDraining
            && !hasInputEnded && pendingWriteCount == 0
    }

    /// Returns a connection on which nothing is under way, and all is written, to the loop that it came from.
    func comeBack(_ context: ChannelHandlerContext) {
        guard let migration, isIdle else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        // In a turn of its own: when the client's end is read in this one, NIO expects the channel to be open
        // afterwards.
        context.eventLoop.execute {
            let (connection, context) = bound.value
            // The descriptor is another's once the channel is closed.
            guard context.channel.isActive, connection.isIdle, migration.comeBack(rate: connection.rate) else { return }
            connection.phase = .lingering
            context.close(promise: nil)
        }
    }
}
