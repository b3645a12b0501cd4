extension Clock<Duration> {
    /// A function that returns the time since this call.
    package func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }

    /// A function that returns when the given time has passed since this call; at once if it has.
    ///
    /// It throws `CancellationError` when the task is cancelled.
    package func alarm() -> @Sendable (Duration) async throws -> Void {
        let start = now
        return { time in try await self.sleep(until: start.advanced(by: time), tolerance: nil) }
    }
}
