import BundleStore
import Foundation

/// Errors and warnings for the user: one line each on standard error.
enum Diagnostics {
    /// Prints an error.
    static func report(_ error: any Error) { report(Advice.line(error)) }

    /// Prints a problem.
    static func report(_ problem: String) {
        // If standard error can't be written, nothing else can report that.
        try? StandardStreams.write(line(problem) + "\n", to: STDERR_FILENO)
    }

    /// Prints a warning.
    static func warn(_ text: String) { report("warning: \(text)") }

    /// One line, safe for a terminal, whatever the text is.
    static func line(_ text: String) -> String { "bundlectl: \(Printable.line(text))" }
}
