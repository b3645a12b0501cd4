import BundleStore
import Synchronization

/// Collects the damage that a store reports. Thread-safe.
package final class DamageLog: Sendable {
    private let found = Mutex<[StoreDamage]>([])

    /// Makes an empty log.
    package init() {}

    /// The damage reported so far, in order.
    package var damage: [StoreDamage] { found.withLock { $0 } }

    /// The handler to open a store with.
    package var handler: DamageHandler {
        { damage in self.found.withLock { $0.append(damage) } }
    }
}
