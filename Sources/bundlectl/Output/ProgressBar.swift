import BundleStore
import Foundation
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

/// The text of a progress bar.
enum ProgressLine {
    private static let barWidth = 24

    /// One line of less than `width` columns: label, bar, per cent, and the rate and the remaining time if they are known
    /// and fit.
    static func text(_ label: String, _ progress: ByteProgress, _ rate: ProgressRate = ProgressRate(), width: Int)
        -> String
    {
        let filled = Int(progress.fraction * Double(barWidth))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: barWidth - filled)
        let pace = [
            rate.bytesPerSecond.map { "\(ByteCount.text(Int64($0)))/s" }, rate.remaining(of: progress).map(remaining),
        ]
        let parts = [label, "[\(bar)]", "\(Int(progress.fraction * 100))%"] + pace.compactMap(\.self)
        return String(parts.joined(separator: " ").prefix(max(0, width - 1)))
    }

    private static func remaining(_ duration: Duration) -> String {
        switch duration.components.seconds {
        case ..<60: "\(duration.components.seconds + 1) s left"
        case ..<5_400: "\((duration.components.seconds + 59) / 60) min left"
        default: "\((duration.components.seconds + 3_599) / 3_600) h left"
        }
    }
}

/// How fast work goes on, over its last seconds. A value type.
struct ProgressRate {
    private static let span: Duration = .seconds(5)
    /// Less says too little.
    private static let leastSpan: Duration = .seconds(1)

    private var samples: [(time: Duration, done: Int64)] = []

    /// Adds what is done at a time since the start.
    mutating func add(_ done: Int64, at time: Duration) {
        samples.removeAll { time - $0.time > Self.span }
        samples.append((time, done))
    }

    /// In bytes per second; nil when it isn't known yet.
    var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.time - first.time >= Self.leastSpan,
            last.done > first.done
        else { return nil }
        return Double(last.done - first.done) / ((last.time - first.time) / .seconds(1))
    }

    /// How long the rest takes at this rate; nil when that isn't known.
    func remaining(of progress: ByteProgress) -> Duration? {
        bytesPerSecond.map { .seconds(Double(progress.total - progress.done) / $0) }
    }
}

/// A terminal that a progress bar is drawn on.
struct Terminal: Sendable {
    /// The number of columns.
    let width: Int
    /// Sends text and control sequences.
    let write: @Sendable (String) -> Void

    /// Standard error, or nil when it isn't a terminal that understands control sequences.
    static var standardError: Terminal? {
        guard isatty(STDERR_FILENO) == 1, ProcessInfo.processInfo.environment["TERM"] != "dumb" else { return nil }
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return Terminal(width: isKnown ? Int(size.ws_col) : 80) { text in
            // A bar that can't be drawn must not stop the work.
            try? StandardStreams.write(text, to: STDERR_FILENO)
        }
    }
}
