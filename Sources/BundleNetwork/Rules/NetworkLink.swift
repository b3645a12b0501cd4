import Synchronization

/// What an app or an operator says of the device's connection to the network, and may change at any time.
///
/// A metered link makes the network rules with `onlyIfMetered` apply. While there is no link, no origin is asked: stored
/// responses take the place of the network's at once, also stale ones where that is allowed. It is never more than a hint:
/// without it the same happens once an origin hasn't responded.
///
/// Thread-safe; several responders may have the same one.
public final class NetworkLink: Sendable {
    private let metered: Atomic<Bool>
    private let up: Atomic<Bool>
    private let connections = Atomic<Int>(0)

    /// - Parameters:
    ///   - isMetered: Whether the link is metered at the beginning.
    ///   - isUp: Whether there is a link at the beginning.
    public init(isMetered: Bool = false, isUp: Bool = true) {
        metered = Atomic(isMetered)
        up = Atomic(isUp)
    }

    /// Whether the link is metered. Requests that begin later see a change.
    public var isMetered: Bool {
        get { metered.load(ordering: .acquiring) }
        set { metered.store(newValue, ordering: .releasing) }
    }

    /// Whether there is a link. Requests that begin later see a change. When it comes back, every origin counts as one that
    /// responds until it doesn't.
    public var isUp: Bool {
        get { up.load(ordering: .acquiring) }
        set {
            let wasUp = up.exchange(newValue, ordering: .acquiringAndReleasing)
            if newValue, !wasUp { connections.add(1, ordering: .releasing) }
        }
    }

    /// How often the link has come back.
    var connectionCount: Int { connections.load(ordering: .acquiring) }
}
