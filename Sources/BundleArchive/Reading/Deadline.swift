/// A point in time on a clock.
struct Deadline: Sendable {
    /// Whether the point has passed.
    let hasPassed: @Sendable () -> Bool

    /// `duration` from now on `clock`; if nil, never.
    init(after duration: Duration?, clock: any Clock<Duration>) {
        guard let duration else {
            hasPassed = { false }
            return
        }
        hasPassed = Self.check(after: duration, clock: clock)
    }

    private static func check<C: Clock>(
        after duration: Duration,
        clock: C
    ) -> @Sendable () -> Bool where C.Duration == Duration {
        let end = clock.now.advanced(by: duration)
        return { clock.now > end }
    }
}
