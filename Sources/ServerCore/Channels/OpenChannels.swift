import BundleServing
import NIOCore
import Synchronization

/// The channels that are open. Thread-safe.
final class OpenChannels: Sendable {
    /// Asks a connection without a request to close: others need its place.
    struct MakeRoomEvent {}

    private struct Entry {
        let channel: any Channel
        let address: PeerAddress?
        /// In the order in which they were opened.
        let number: Int
        /// Whether it has been asked to make room.
        var isAsked = false
    }

    private struct State {
        var channels: [ObjectIdentifier: Entry] = [:]
        var lastNumber = 0
        var isQuiescing = false
        var isCut = false
        var cutCount = 0
        var waiters: [CheckedContinuation<Void, Never>] = []

        /// The channel to ask for room.
        mutating func next(at address: PeerAddress?) -> (any Channel)? {
            let candidates = channels.filter { address == nil || $0.value.address == address }
            guard
                let next = candidates.min(by: {
                    ($0.value.isAsked ? 1 : 0, $0.value.number) < ($1.value.isAsked ? 1 : 0, $1.value.number)
                })
            else { return nil }
            if next.value.isAsked { for key in candidates.keys { channels[key]?.isAsked = false } }
            channels[next.key]?.isAsked = true
            return next.value.channel
        }

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
            state.lastNumber += 1
            let entry = Entry(channel: channel, address: channel.remoteAddress?.peer, number: state.lastNumber)
            state.channels[ObjectIdentifier(channel)] = entry
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
            return state.channels.values.map(\.channel)
        }
        for channel in channels { Self.quiesce(channel) }
    }

    /// Closes the channel that has been open for longest if it is idle, for the place of a new one. One that isn't idle is asked
    /// again after all others.
    ///
    /// - Parameter address: Of the clients at this address alone; nil for any.
    func makeRoom(at address: PeerAddress?) {
        let channel = state.withLock { $0.next(at: address) }
        channel?.pipeline.fireUserInboundEventTriggered(MakeRoomEvent())
    }

    /// Closes every channel immediately, later ones included, whatever is under way.
    func cutAll() {
        let channels = state.withLock { state in
            state.isCut = true
            state.cutCount += state.channels.count
            return state.channels.values.map(\.channel)
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
