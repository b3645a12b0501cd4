/// The state that dashboards show, read once for all of them: at most once a second, and never for more than a twentieth of the
/// time.
actor DashboardSource {
    private static let interval: Duration = .seconds(1)

    private let read: @Sendable () async -> StreamEvent
    private let now: @Sendable () -> ContinuousClock.Instant
    private var known: (event: StreamEvent, validUntil: ContinuousClock.Instant)?
    private var reading: Task<StreamEvent, Never>?
    /// Counts the changes that were made through the dashboard.
    private var changeCount = 0

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        read: @escaping @Sendable () async -> StreamEvent
    ) {
        self.now = now
        self.read = read
    }

    /// The state, read again if it is old.
    func current() async -> StreamEvent {
        if reading == nil, let known, now() < known.validUntil { return known.event }
        let change = changeCount
        let event = await (reading ?? begin()).value
        // A reading that began before a change may lack it.
        return change == changeCount ? event : await current()
    }

    private func begin() -> Task<StreamEvent, Never> {
        let (start, change) = (now(), changeCount)
        let task = Task {
            let event = await read()
            if change == changeCount {
                reading = nil
                known = (event, now().advanced(by: max(Self.interval, start.duration(to: now()) * 20)))
            }
            return event
        }
        reading = task
        return task
    }

    /// Has the next call read again: an operator who has changed something sees that at once.
    func forget() {
        changeCount += 1
        (known, reading) = (nil, nil)
    }
}
