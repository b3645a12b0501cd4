/// Says whether something that others keep has been replaced or removed. Read on event loops, so it takes no lock.
public protocol Revocable: Sendable {
    /// Whether it must not be used any more. Never becomes false again.
    var isRevoked: Bool { get }
}
