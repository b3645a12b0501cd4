import ArgumentParser
import BundleStore
import Foundation

/// Where a verb's words go.
struct Console {
    /// The format of reports.
    enum Format {
        case text, json
    }

    let format: Format
    let isQuiet: Bool

    /// Prints a report to standard output: as JSON, or as lines unless quiet.
    func report(_ report: some Report) throws {
        switch format {
        case .json: try StandardStreams.write(JSONDocument.text(of: report))
        case .text where isQuiet: break
        case .text: try StandardStreams.write(report.lines.map { $0 + "\n" }.joined())
        }
    }

    /// Prints warnings to standard error unless quiet.
    func warn(_ warnings: [String]) {
        if !isQuiet { warnings.forEach(Diagnostics.warn) }
    }

    /// Prints warnings to standard error unless quiet.
    func warn(_ warnings: [Notice]) { warn(warnings.map(Advice.line)) }

    /// Runs work that may take a while, with a progress bar on a terminal.
    func showingProgress<Result>(_ label: String, _ work: (ProgressBar) throws -> Result) rethrows -> Result {
        let bar = ProgressBar(label, on: isQuiet ? nil : .standardError)
        defer { bar.finish() }
        return try work(bar)
    }

    /// Runs work that may take a while, with a progress bar on a terminal.
    func showingProgress<Result>(
        _ label: String,
        _ work: (ProgressBar) async throws -> Result
    ) async rethrows -> Result {
        let bar = ProgressBar(label, on: isQuiet ? nil : .standardError)
        defer { bar.finish() }
        return try await work(bar)
    }
}

/// How a verb reports.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON document instead of text.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print errors only; with --json, nothing but the document.")
    var quiet = false

    /// The verb's output.
    var console: Console { Console(format: json ? .json : .text, isQuiet: quiet) }
}

/// The result of a verb: a JSON document of a stable shape, and the same as text.
protocol Report: Encodable {
    /// The lines of the text, safe to print; none when there is nothing to report.
    var lines: [String] { get }
}

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

/// The three streams that a program starts with.
enum StandardStreams {
    /// Makes the streams safe to use: a stream that was closed at the start is opened on /dev/null, because otherwise
    /// the first file of the store to be opened would take its number and receive the output; and writing to a closed
    /// pipe becomes an error, not a signal that ends the program.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Writes all of `text`. Writing to a closed pipe is not an error: the verb's work is still wanted.
    ///
    /// - Throws: ``OutputError`` when it can't be written for another reason, such as a full disk.
    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) throws(OutputError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                return
            } else if errno != EINTR {
                throw OutputError(reason: String(cString: strerror(errno)))
            }
        }
    }
}

/// Standard output can't be written.
struct OutputError: Error, CustomStringConvertible {
    let reason: String

    var description: String { "standard output can't be written: \(reason); write it somewhere else" }
}
