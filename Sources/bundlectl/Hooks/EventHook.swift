import BundleStore

/// A receiver of events.
protocol EventHook: Sendable {
    /// What it is called in warnings.
    var title: String { get }

    /// Tells of an event; returns when that is done.
    ///
    /// - Throws: `BundleError` when it isn't known to have arrived; `CancellationError` when the task is cancelled.
    func deliver(_ event: UpdateEvent) async throws
}
