import NIOCore

/// Time limits for clients, and the return of an idle connection to its loop.
extension HTTP1Connection {
    /// One timer, rescheduled when it fires, costs nothing per request.
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
            // Nothing may follow the last response.
            if exchange?.closesConnection == false, !isDraining { refusal = Overload.requestTime.response }
        }
        if let exchange {
            if let deadline = exchange.pace.deadline(TimeAmount(limits.bodyTime)),
                isOverdue(deadline - TimeAmount(limits.bodyTime), limits.bodyTime)
            {
                giveUpContent(of: exchange, context)
                // The linger time is running.
                if phase == .lingering, pendingWriteCount == 0 { return }
            }
            if let limit = silenceLimit(of: exchange), isOverdue(max(activeAt, writtenAt), limit) {
                return context.channel.reset()
            }
        }
        // A client that takes its time for responses isn't idle.
        if phase == .receiving, awaited == nil, pendingWriteCount == 0 {
            if isOverdue(activeAt, limits.idle) { return context.close(promise: nil) }
            // An idle connection takes less memory in its loop.
            comeBack(context)
        }
        scheduleWatch(context, after: next)
    }

    /// How long an origin may be silent behind a head, when the client has ended its side and may be gone, or has lost the
    /// other direction of a tunnel; nil for any time.
    private func silenceLimit(of exchange: HTTP1Exchange) -> Duration? {
        guard phase == .sending, pendingWriteCount == 0, hasInputEnded || exchange.isOutputDone else { return nil }
        return exchange.isTunnel ? settings.limits.idle : settings.limits.writeStall
    }

    /// Whether nothing is under way.
    private var isIdle: Bool {
        phase == .receiving && exchange == nil && stream.isAtHead && received.readableBytes == 0 && !isDraining
            && !hasInputEnded && pendingWriteCount == 0
    }

    /// Returns an idle connection to the loop that it came from.
    func comeBack(_ context: ChannelHandlerContext) {
        guard let migration, isIdle else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        // In a later turn: if the client's end is read in this one, NIO expects the channel to be open afterwards.
        context.eventLoop.execute {
            let (connection, context) = bound.value
            // Once the channel is closed, its descriptor number may belong to another file.
            guard context.channel.isActive, connection.isIdle, migration.comeBack(rate: connection.rate) else { return }
            connection.phase = .lingering
            context.close(promise: nil)
        }
    }
}
