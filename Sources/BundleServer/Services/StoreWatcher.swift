import BundleServing
import Logging
import ServiceLifecycle

/// Looks again and again whether another process has installed, activated, rolled back or removed something.
struct StoreWatcher: Service {
    /// A change is to be seen within a second; a look that finds none costs some microseconds.
    static let interval: Duration = .milliseconds(250)

    private let resolver: LiveResolver
    private let clock: any Clock<Duration>
    private let logger: Logger

    init(_ resolver: LiveResolver, clock: any Clock<Duration>, logger: Logger) {
        self.resolver = resolver
        self.clock = clock
        self.logger = logger
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            var isFailing = false
            while !Task.isCancelled {
                isFailing = refresh(isFailing: isFailing)
                // Throws only when the service is shut down or cancelled, which the loop's condition sees.
                try? await clock.sleep(for: Self.interval)
            }
        }
    }

    /// Reports a failure when it begins and when it is over, not with every look. Returns whether it fails now.
    private func refresh(isFailing: Bool) -> Bool {
        do {
            if try resolver.refresh() { logger.info("the store has changed; the new state is being served") }
            if isFailing { logger.notice("the store can be read again") }
            return false
        } catch {
            if !isFailing { logger.error("the last known state is being served: \(error)") }
            return true
        }
    }
}
