import Synchronization

/// Tells those who keep a response that it has been replaced or removed. Thread-safe; takes no lock.
public final class Revocation: Revocable {
    private let flag = Atomic(false)

    /// Not revoked.
    public init() {}

    /// Ends the use of everything that was given with this value, immediately and for good.
    public func revoke() { flag.store(true, ordering: .releasing) }

    /// Whether it has been revoked.
    public var isRevoked: Bool { flag.load(ordering: .acquiring) }
}
