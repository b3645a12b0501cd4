import BundleStore
import Synchronization

/// Collects the damage that a store tells of. Thread-safe.
public final class DamageLog: Sendable {
    private let found = Mutex<[StoreDamage]>([])

    /// Makes an empty one.
    public init() {}

    /// What was told so far, in that order.
    public var damage: [StoreDamage] { found.withLock { $0 } }

    /// What a store is opened with.
    public var handler: DamageHandler {
        { damage in self.found.withLock { $0.append(damage) } }
    }
}
