import Synchronization

/// The device's connection to the network, as an app, an operator or the system tells it, at any time.
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

    /// Whether the requests of a task may not use the link. They get what there is without a network.
    @TaskLocal package static var isForbidden = false

    /// How often the link has come back.
    var connectionCount: Int { connections.load(ordering: .acquiring) }

    /// Has the link follow the system's for as long as the result lives; nil where the system tells nothing.
    package func followingSystem() -> (any Sendable)? {
        #if canImport(Network)
            LinkMonitor(self)
        #else
            nil
        #endif
    }
}
