import BundleServing
import BundleStore
import Logging
import ServiceLifecycle

/// Looks again and again whether another process has installed, activated, rolled back or removed something, and says
/// which releases are damaged.
struct StoreWatcher: Service {
    /// A change is to be seen within a second; a look that finds none costs some microseconds.
    static let interval: Duration = .milliseconds(250)

    private let store: BundleStore
    private let resolver: LiveResolver
    private let health: EndpointHealth
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let onChange: @Sendable (StoreSnapshot) -> Void

    /// - Parameters:
    ///   - resolver: Of the same store.
    ///   - health: Told whether the store can be read.
    ///   - onChange: Called with what the store has when that is something else than before.
    init(
        _ store: BundleStore,
        _ resolver: LiveResolver,
        health: EndpointHealth,
        clock: any Clock<Duration>,
        logger: Logger,
        onChange: @escaping @Sendable (StoreSnapshot) -> Void = { _ in }
    ) {
        self.store = store
        self.resolver = resolver
        self.health = health
        self.clock = clock
        self.logger = logger
        self.onChange = onChange
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            var isFailing = false
            var knownDamage: [StoreDamage] = []
            while !Task.isCancelled {
                isFailing = refresh(isFailing: isFailing)
                knownDamage = report(known: knownDamage)
                // Throws only when the service is shut down or cancelled, which the loop's condition sees.
                try? await clock.sleep(for: Self.interval)
            }
        }
    }

    /// Reports what has been damaged since the last look. Returns all that is damaged now.
    private func report(known: [StoreDamage]) -> [StoreDamage] {
        let damage = store.snapshot.damage
        for release in damage where !known.contains(release) { logger.warning("not served: \(release)") }
        return damage
    }

    /// Reports a failure when it begins and when it is over, not with every look. Returns whether it fails now.
    private func refresh(isFailing: Bool) -> Bool {
        do {
            if try resolver.refresh() {
                logger.info("the store has changed; the new state is being served")
                onChange(store.snapshot)
            }
            if isFailing { logger.notice("the store can be read again") }
            health.noteStore(failure: nil)
            return false
        } catch {
            health.noteStore(failure: "\(error)")
            if !isFailing { logger.error("the last known state is being served: \(error)") }
            return true
        }
    }
}
