import NIOCore
import Synchronization

/// The channels that are open, to be told when the endpoint shuts down. Thread-safe.
final class OpenChannels: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isQuiescing = false
        var cutCount = 0
    }

    private let state = Mutex(State())

    /// Keeps a channel until it is closed.
    func insert(_ channel: any Channel) {
        let isQuiescing = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = channel
            return state.isQuiescing
        }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
        }
        if isQuiescing { Self.quiesce(channel) }
    }

    /// Tells every channel, also those that come later, to end after what is under way.
    func quiesce() {
        let channels = state.withLock { state in
            state.isQuiescing = true
            return state.channels.values
        }
        for channel in channels { Self.quiesce(channel) }
    }

    /// Closes a channel at once, whatever is under way on it.
    func cut(_ channel: any Channel) {
        state.withLock { $0.cutCount += 1 }
        channel.close(promise: nil)
    }

    /// How many channels were cut.
    var cutCount: Int { state.withLock(\.cutCount) }

    private static func quiesce(_ channel: any Channel) {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
}
