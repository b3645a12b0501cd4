import Synchronization

/// What an app or an operator says of the device's connection to the network, and may change at any time: a metered link
/// makes the network rules with `onlyIfMetered` apply.
///
/// Thread-safe; several responders may have the same one.
public final class NetworkLink: Sendable {
    private let metered: Atomic<Bool>

    /// - Parameter isMetered: Whether the link is metered at the beginning.
    public init(isMetered: Bool = false) {
        metered = Atomic(isMetered)
    }

    /// Whether the link is metered. Requests that begin later see a change.
    public var isMetered: Bool {
        get { metered.load(ordering: .acquiring) }
        set { metered.store(newValue, ordering: .releasing) }
    }
}
