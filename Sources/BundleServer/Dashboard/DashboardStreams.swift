import BundleServing
import BundleStore
import ServiceLifecycle

/// The event streams of open dashboards: each gets the state when it has changed, at most once a second and at once after an
/// action. Thread-safe.
final class DashboardStreams: Service {
    /// Well below the connections of the operators' listener, so that probes and scrapers get in. One too many is refused: the
    /// page that loses its stream would open one again, and take another page's.
    static let limits = EventStreamLimits(count: 16, countPerClient: .max, heldCount: 2)
    /// How often it is looked for changes while a dashboard is open.
    static let interval: Duration = .seconds(1)

    private enum Subject {
        case state
    }

    private let source: DashboardSource
    private let token: @Sendable () -> AdminToken
    private let clock: any Clock<Duration>
    private let streams = EventStreams<Subject>(limits)

    /// - Parameter token: The token that counts now; with another one the streams end that were opened with the one before.
    init(_ source: DashboardSource, token: @escaping @Sendable () -> AdminToken, clock: any Clock<Duration>) {
        self.source = source
        self.token = token
        self.clock = clock
    }

    /// Opens a stream, which begins with the present state.
    func open(from client: PeerAddress?) async -> ServedResponse {
        let response = streams.open(.state, knowing: nil, from: client) { nil }
        await update()
        return response
    }

    /// Tells of a change that was made through the dashboard.
    func stateChanged() async {
        await source.forget()
        await update()
    }

    private func update() async {
        guard !streams.subjects.isEmpty else { return }
        streams.send([.state: await source.current()])
    }

    func run() async {
        let elapsed = clock.stopwatch()
        await cancelWhenGracefulShutdown { [self] in
            var known = token()
            while !Task.isCancelled {
                let token = token()
                if token != known { streams.endOpen() }
                known = token
                await update()
                streams.beat(at: elapsed())
                // Throws only when the service is shut down or cancelled, which the loop's condition detects.
                try? await clock.sleep(for: Self.interval)
            }
        }
        streams.end()
    }
}

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
