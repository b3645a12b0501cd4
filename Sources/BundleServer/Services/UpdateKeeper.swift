import ServiceLifecycle

/// Runs the updates as they are configured now. A change ends those under way; the next ones resume them. For one run.
final class UpdateKeeper: Service {
    private let schedulers: AsyncStream<UpdateScheduler?>
    private let continuation: AsyncStream<UpdateScheduler?>.Continuation

    init() {
        (schedulers, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Updates by this scheduler from now on; nil for no updates. Returns at once.
    func follow(_ scheduler: UpdateScheduler?) { continuation.yield(scheduler) }

    func run() async {
        var updates: Task<Void, Never>?
        for await scheduler in schedulers.cancelOnGracefulShutdown() {
            updates?.cancel()
            await updates?.value
            updates = scheduler.map { scheduler in Task { await scheduler.run() } }
        }
        updates?.cancel()
        await updates?.value
    }
}
