import BundleNetwork
import BundleServing
import BundleStore
import Synchronization

/// What happens to the bundles.
extension BundleClient {
    /// The activations from now on, by this client and by others: another version responds, or none does any more. A
    /// sequence that isn't read keeps the last 64.
    ///
    /// The store is checked once a second while somebody reads a sequence. The sequence ends with ``close()``.
    public var activations: AsyncStream<Activation> {
        let watch = Task { [weak self, clock] in
            // Nothing tells a process that another one has changed the catalog.
            while !Task.isCancelled {
                guard (try? await clock.sleep(for: .seconds(1))) != nil, let self else { return }
                refresh()
            }
        }
        return activationBroadcast.subscribe { watch.cancel() }
    }

    /// How far this client's installations and updates are, from now on. A sequence that isn't read keeps the last value. It
    /// ends with ``close()``.
    public var progress: AsyncStream<WorkProgress> { progressBroadcast.subscribe() }

    /// Takes what other processes have changed in the store. Every request does that behind its response, at most once a
    /// second; an app needn't call it. Waits for the disk. While the store can't be read, what was last known counts.
    public func refresh() {
        guard !lifetime.hasEnded else { return }
        _ = try? store.recheckFiles()
        _ = try? store.refresh()
        store.judgeProbations()
        _ = try? resolver.refresh()
        noteActivations()
    }

    /// Takes changes of other processes, if that hasn't been done for a second, on another thread.
    func refreshIfDue() {
        guard refreshPace.isDue() else { return }
        Task.detached { [weak self] in self?.refresh() }
    }

    /// Reports activations that haven't been reported.
    func noteActivations() {
        known.withLock { known in
            for activation in known.take(store.snapshot) { activationBroadcast.send(activation) }
        }
    }
}
