import BundleStore
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
    ///
    /// - Parameter part: What is being worked on, when the work has several parts. ``finish()`` ends each.
    func update(_ progress: ByteProgress, of part: String? = nil) {
        guard let terminal else { return }
        let elapsed = elapsed()
        state.withLock { state in
            guard elapsed >= state.nextDraw else { return }
            state.nextDraw = elapsed + Self.interval
            state.isVisible = true
            let text = part.map { "\(label) \($0)" } ?? label
            terminal.write(Self.clearLine + ProgressLine.text(text, progress, width: terminal.width))
        }
    }

    /// Erases the bar. It is drawn again for another part that takes more than half a second.
    func finish() {
        guard let terminal else { return }
        let elapsed = elapsed()
        state.withLock { state in
            if state.isVisible { terminal.write(Self.clearLine) }
            state = State(nextDraw: elapsed + Self.delay)
        }
    }
}
