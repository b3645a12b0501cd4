import Foundation

/// A program that a test runs failed in a way that the test can't handle.
package enum ChildProcessError: Error, CustomStringConvertible {
    /// It couldn't be started; `code` is an `errno`.
    case notStarted(executable: String, code: Int32)
    /// It ended before it wrote the expected line.
    case endedWithoutLine(command: String, ProcessResult)

    /// One line and, for a program that ended, its output.
    package var description: String {
        switch self {
        case .notStarted(let executable, let code):
            "could not start \(executable): \(String(cString: strerror(code)))"
        case .endedWithoutLine(let command, let result):
            """
            \(command) ended (\(result.ending)) without the line that was waited for
            output: \(result.output)
            error output: \(result.errorOutput)
            """
        }
    }
}
