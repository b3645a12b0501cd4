extension Clock<Duration> {
    /// Tells the time since it was made.
    func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}
