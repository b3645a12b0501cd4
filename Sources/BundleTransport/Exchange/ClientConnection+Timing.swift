import NIOCore

extension ClientConnection {
    /// Sets the time at which something has to have happened.
    ///
    /// One timer for each connection follows the deadline, and isn't moved when that is.
    func updateDeadline() {
        deadline = currentLimit.map { loop.now + TimeAmount($0) }
        guard let deadline else { return }
        if let timer, timer.time <= deadline { return }
        timer?.task.cancel()
        schedule(at: deadline)
    }

    private func schedule(at time: NIODeadline) {
        timer = (time, loop.scheduleTask(deadline: time) { [weak self] in self?.checkDeadline() })
    }

    private func checkDeadline() {
        timer = nil
        guard let deadline else { return }
        if loop.now < deadline { schedule(at: deadline) } else { expire() }
    }

    private var currentLimit: Duration? {
        switch phase {
        case .connecting, .closed: nil
        case .idle: limits.idling
        case .draining: limits.continuation
        case .exchanging: exchange.flatMap(limit)
        }
    }

    private func limit(of exchange: Exchange) -> Duration? {
        // Then it isn't the origin that is waited for.
        if isPaused || exchange.isLongLived { return nil }
        switch exchange.upload {
        case .awaitingContinue: return limits.continuation
        case .awaitingContent: return nil
        case .writing: return limits.silence
        case .complete: return exchange.progress == .received ? limits.silence : limits.firstByte
        }
    }

    private func expire() {
        switch phase {
        case .exchanging where exchange?.upload == .awaitingContinue:
            sendContent()
            updateDeadline()
        case .exchanging: fail(ConnectionProblem.silence(exchange.flatMap(limit) ?? limits.silence))
        case .idle, .draining: close()
        case .connecting, .closed: break
        }
    }
}
