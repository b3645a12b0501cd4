import BundleStore
import Synchronization

/// Tells hooks of events: each hook of all events in their order, one at a time, and beside everything else. A hook that
/// is slow or fails delays and fails nothing but itself. Thread-safe.
final class EventDispatcher: Sendable {
    /// How many events may wait for a hook; further ones are dropped with a warning.
    private static let maximumCount = 256

    private struct Line {
        let title: String
        let continuation: AsyncStream<UpdateEvent>.Continuation
        let work: Task<Void, Never>
    }

    private let lines: [Line]
    private let clock: any Clock<Duration>
    private let warn: @Sendable (String) -> Void

    /// - Parameters:
    ///   - clock: The clock of ``finish(within:)``.
    ///   - warn: Called with what went wrong, from any thread.
    init(_ hooks: [any EventHook], clock: any Clock<Duration>, warn: @escaping @Sendable (String) -> Void) {
        (self.clock, self.warn) = (clock, warn)
        lines = hooks.map { hook in
            let (stream, continuation) = AsyncStream.makeStream(
                of: UpdateEvent.self,
                bufferingPolicy: .bufferingOldest(Self.maximumCount)
            )
            let work = Task { await Self.deliver(stream, to: hook, warn) }
            return Line(title: hook.title, continuation: continuation, work: work)
        }
    }

    /// Passes on an event; returns at once.
    func handle(_ event: UpdateEvent) {
        for line in lines {
            if case .dropped = line.continuation.yield(event) {
                warn("\(line.title) wasn't told of event \(event.number): \(Self.maximumCount) others wait")
            }
        }
    }

    /// Waits until the hooks were told of everything, but only for a time; then ends what is under way.
    func finish(within limit: Duration) async {
        for line in lines { line.continuation.finish() }
        let timeout = Task { [lines, clock] in
            try await clock.sleep(for: limit)
            for line in lines { line.work.cancel() }
        }
        for line in lines { await line.work.value }
        timeout.cancel()
    }

    private static func deliver(
        _ events: AsyncStream<UpdateEvent>,
        to hook: any EventHook,
        _ warn: @Sendable (String) -> Void
    ) async {
        for await event in events {
            do {
                try await hook.deliver(event)
            } catch is CancellationError {
                warn("\(hook.title) wasn't told of all events: it took too long")
            } catch {
                warn("\(hook.title): \(Advice.line(error))")
            }
        }
    }
}

/// A receiver of events.
protocol EventHook: Sendable {
    /// What it is called in warnings.
    var title: String { get }

    /// Tells of an event; returns when that is done.
    ///
    /// - Throws: `BundleError` when it isn't known to have arrived; `CancellationError` when the task is cancelled.
    func deliver(_ event: UpdateEvent) async throws
}
