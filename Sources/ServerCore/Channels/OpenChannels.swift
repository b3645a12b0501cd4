import HTTPCore
import NIOCore
import Synchronization

/// The channels that are open. Thread-safe.
final class OpenChannels: Sendable {
    /// How long a new channel keeps its place without a request, which may be on its way.
    private static let firstRequestTime = TimeAmount.milliseconds(20)

    private struct Entry {
        let channel: any Channel
        let permit: AddressLimiter.Permit
        let openedAt: NIODeadline
    }

    private struct State {
        var channels: [ObjectIdentifier: Entry] = [:]
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

    /// Keeps a channel, and its place, until it is closed.
    func insert(_ channel: any Channel, permit: AddressLimiter.Permit) {
        let (isQuiescing, isCut) = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = Entry(channel: channel, permit: permit, openedAt: .now())
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

    /// Closes the idle channel that has been open for longest, and gives its place back at once.
    ///
    /// - Parameter address: Of the clients at this address alone; nil for any.
    /// - Returns: Whether there was one.
    func makeRoom(for address: PeerAddress?) -> Bool {
        let oldest = state.withLock { state in
            state.channels.values.filter { $0.permit.isFree(for: address) }.min { $0.openedAt < $1.openedAt }
        }
        guard let oldest, oldest.openedAt + Self.firstRequestTime < .now() else { return false }
        oldest.permit.release()
        oldest.channel.close(promise: nil)
        return true
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
