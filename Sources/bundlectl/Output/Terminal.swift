import Foundation

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
