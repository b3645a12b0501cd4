import BundleStore
import Synchronization

/// A progress bar for work that takes more than half a second, with its rate and the remaining time. Thread-safe.
final class ProgressBar: Sendable {
    private static let delay = Duration.milliseconds(500)
    private static let interval = Duration.milliseconds(100)
    /// Returns to the start of the line, and erases it to its end (ECMA-48 EL).
    private static let clearLine = "\r\u{1B}[K"

    private struct State {
        var nextDraw: Duration
        var isVisible = false
        /// What is being worked on, by name.
        var parts: [String: ByteProgress] = [:]
        /// What is finished of the parts since the bar was begun.
        var finishedByteCount: Int64 = 0
        var rate = ProgressRate()

        /// All parts as one piece of work.
        var progress: ByteProgress {
            parts.values.reduce(ByteProgress(done: finishedByteCount, total: finishedByteCount), +)
        }
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
    /// - Parameter part: What is being worked on, when the work has several parts, which may go on side by side: the bar
    ///   shows them together. ``finish(_:)`` ends each.
    func update(_ progress: ByteProgress, of part: String = "") {
        guard let terminal else { return }
        let elapsed = elapsed()
        state.withLock { state in
            state.parts[part] = progress
            guard elapsed >= state.nextDraw else { return }
            state.nextDraw = elapsed + Self.interval
            state.isVisible = true
            state.rate.add(state.progress.done, at: elapsed)
            let line = ProgressLine.text(text(state.parts), state.progress, state.rate, width: terminal.width)
            terminal.write(Self.clearLine + line)
        }
    }

    /// Such as `updating shop`, or `updating 3`.
    private func text(_ parts: [String: ByteProgress]) -> String {
        guard let name = parts.keys.first, !name.isEmpty else { return label }
        return parts.count == 1 ? "\(label) \(name)" : "\(label) \(parts.count) bundles"
    }

    /// Ends a part. After the last one the bar is erased; it is drawn again for another one that takes more than half a
    /// second.
    func finish(_ part: String = "") {
        guard let terminal else { return }
        let elapsed = elapsed()
        state.withLock { state in
            if state.isVisible { terminal.write(Self.clearLine) }
            state.isVisible = false
            state.finishedByteCount += state.parts.removeValue(forKey: part)?.total ?? 0
            if state.parts.isEmpty { state = State(nextDraw: elapsed + Self.delay) }
        }
    }
}
