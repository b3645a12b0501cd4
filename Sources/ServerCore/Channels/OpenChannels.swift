import NIOCore
import Synchronization

/// The channels that are open. Thread-safe.
final class OpenChannels: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isQuiescing = false
        var isCut = false
        var cutCount = 0
        var waiters: [CheckedContinuation<Void, Never>] = []

        /// Removes and returns the waiters; none while a channel is open.
        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            guard channels.isEmpty else { return [] }
            defer { waiters = [] }
            return waiters
        }
    }

    private let state = Mutex(State())

    /// The number of open channels.
    var count: Int { state.withLock(\.channels.count) }

    /// Keeps a channel until it is closed.
    func insert(_ channel: any Channel) {
        let (isQuiescing, isCut) = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = channel
            return (state.isQuiescing, state.isCut)
        }
        channel.closeFuture.whenComplete { [self] _ in
            let waiters = state.withLock { state in
                state.channels[ObjectIdentifier(channel)] = nil
                return state.takeWaiters()
            }
            for waiter in waiters { waiter.resume() }
        }
        if isCut { channel.close(promise: nil) } else if isQuiescing { Self.quiesce(channel) }
    }

    /// Tells every channel, later ones included, to close after the exchanges under way.
    func quiesce() {
        let channels = state.withLock { state in
            state.isQuiescing = true
            return state.channels.values
        }
        for channel in channels { Self.quiesce(channel) }
    }

    /// Closes every channel immediately, later ones included, whatever is under way.
    func cutAll() {
        let channels = state.withLock { state in
            state.isCut = true
            state.cutCount += state.channels.count
            return state.channels.values
        }
        for channel in channels { channel.close(promise: nil) }
    }

    /// The number of channels that were cut.
    var cutCount: Int { state.withLock(\.cutCount) }

    /// Waits until no channel is open, even if the task is cancelled.
    func waitUntilClosed() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.channels.isEmpty { state.waiters.append(continuation) }
                return state.channels.isEmpty
            }
            if isOver { continuation.resume() }
        }
    }

    private static func quiesce(_ channel: any Channel) {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
}
