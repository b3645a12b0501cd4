import Synchronization

/// A progress bar for work that takes more than half a second. Thread-safe.
final class ProgressBar: Sendable {
    private static let delay = Duration.milliseconds(500)
    private static let interval = Duration.milliseconds(100)
    /// Returns to the start of the line, and erases it to its end (ECMA-48 EL).
    private static let clearLine = "\r\u{1B}[K"

    private struct State {
        var nextDraw: Duration
        var isVisible = false
    }

    private let label: String
    private let terminal: Terminal?
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State(nextDraw: ProgressBar.delay))

    /// - Parameters:
    ///   - terminal: The terminal to draw on; nil for none.
    ///   - clock: Measures the half second.
    init<C: Clock>(_ label: String, on terminal: Terminal?, clock: C = ContinuousClock()) where C.Duration == Duration {
        self.label = label
        self.terminal = terminal
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }

    /// Reports the progress of the work; draws it when it is due.
    func update(done: Int64, total: Int64) {
        guard let terminal else { return }
        let elapsed = elapsed()
        state.withLock { state in
            guard elapsed >= state.nextDraw else { return }
            state.nextDraw = elapsed + Self.interval
            state.isVisible = true
            terminal.write(Self.clearLine + ProgressLine.text(label, done: done, total: total, width: terminal.width))
        }
    }

    /// Erases the bar.
    func finish() {
        state.withLock { state in
            if state.isVisible { terminal?.write(Self.clearLine) }
            state.isVisible = false
        }
    }
}
