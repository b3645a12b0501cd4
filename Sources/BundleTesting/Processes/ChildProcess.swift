import Foundation

/// A program that a test runs, with its output captured.
///
/// The program gets `/dev/null` as its standard input and a process group of its own. The whole group is killed when
/// the program ends and when the last reference to this object goes away, so that nothing outlives the test.
/// Safe to use from any number of tasks at once.
package final class ChildProcess: Sendable {
    /// The command line, for messages.
    package let command: String
    private let execution: ProcessExecution

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: A path, or a name to be looked up in `PATH`.
    ///   - arguments: The arguments after the program's name.
    ///   - environment: The whole environment, or nil to pass on the test's own.
    ///   - currentDirectory: The folder to start in, or nil for the test's own.
    /// - Throws: ``ChildProcessError`` when it can't be started. With a `currentDirectory` the exit code says so
    ///   instead: 127 for a program that doesn't exist, 126 for one that can't be run.
    package init(
        _ executable: String,
        _ arguments: [String] = [],
        environment: [String: String]? = nil,
        currentDirectory: String? = nil
    ) throws {
        command = ([executable] + arguments).joined(separator: " ")
        // The call that lets posix_spawn change the folder is hidden from Swift on Linux; a shell does it instead and
        // is then replaced by the program.
        let start = currentDirectory.map { ["sh", "-c", #"cd -- "$0" && exec "$@""#, $0, executable] + arguments }
        let words = start ?? [executable] + arguments
        let spawned = try SpawnedProcess(
            executable: words[0],
            arguments: Array(words.dropFirst()),
            environment: environment ?? ProcessInfo.processInfo.environment
        )
        execution = ProcessExecution(spawned)
    }

    deinit {
        execution.kill()
    }

    /// Starts a program, waits for its end, and returns its result.
    ///
    /// - Parameters: As for `init`; `deadline` as for ``wait(deadline:)``.
    /// - Throws: ``ChildProcessError`` when it can't be started, ``DeadlineExceeded``, or `CancellationError`.
    package static func run(
        _ executable: String,
        _ arguments: [String] = [],
        environment: [String: String]? = nil,
        currentDirectory: String? = nil,
        deadline: Duration = .seconds(120)
    ) async throws -> ProcessResult {
        let process = try ChildProcess(
            executable,
            arguments,
            environment: environment,
            currentDirectory: currentDirectory
        )
        return try await process.wait(deadline: deadline)
    }

    /// Waits until the program has ended and all its output is read.
    ///
    /// - Throws: ``DeadlineExceeded`` after `deadline`, without ending the program; `CancellationError` when the task
    ///   is cancelled.
    package func wait(deadline: Duration = .seconds(120)) async throws -> ProcessResult {
        try await execution.monitor.wait(for: "the end of \(command)", deadline: deadline) { $0.result }
    }

    /// Waits for a whole line on standard output, from the start of the output on, that meets `condition`.
    ///
    /// - Returns: The first such line, without its line end.
    /// - Throws: ``ChildProcessError`` when the program ends without one, ``DeadlineExceeded`` after `deadline`, and
    ///   `CancellationError` when the task is cancelled.
    package func waitForLine(
        deadline: Duration = .seconds(60),
        where condition: @escaping @Sendable (String) -> Bool
    ) async throws -> String {
        let found = try await execution.monitor.wait(for: "a line from \(command)", deadline: deadline) { state in
            state.outputLines.first(where: condition).map { Result.success($0) }
                ?? state.result.map { .failure(ChildProcessError.endedWithoutLine(command: self.command, $0)) }
        }
        return try found.get()
    }

    /// Waits for a line that contains `text`; see ``waitForLine(deadline:where:)``.
    package func waitForLine(containing text: String, deadline: Duration = .seconds(60)) async throws -> String {
        try await waitForLine(deadline: deadline) { $0.contains(text) }
    }

    /// Waits until standard error contains a text.
    ///
    /// - Throws: As ``waitForLine(deadline:where:)`` does.
    package func waitForErrorOutput(containing text: String, deadline: Duration = .seconds(60)) async throws {
        let found = try await execution.monitor.wait(for: "an error of \(command)", deadline: deadline) { state in
            String(decoding: state.errorOutput, as: UTF8.self).contains(text)
                ? Result<Void, any Error>.success(())
                : state.result.map { .failure(ChildProcessError.endedWithoutLine(command: self.command, $0)) }
        }
        try found.get()
    }

    /// The output so far: whole chunks as the program wrote them, which may end inside a line.
    package var output: String {
        String(decoding: execution.monitor.state.output, as: UTF8.self)
    }

    /// The error output so far.
    package var errorOutput: String {
        String(decoding: execution.monitor.state.errorOutput, as: UTF8.self)
    }

    /// Sends a signal to the program itself; does nothing when it has ended.
    package func send(_ signal: Int32) {
        execution.send(signal)
    }

    /// Asks the program to end (SIGTERM) and waits for that.
    ///
    /// - Throws: ``DeadlineExceeded`` when it hasn't ended after `deadline`.
    @discardableResult
    package func terminate(deadline: Duration = .seconds(60)) async throws -> ProcessResult {
        send(SIGTERM)
        return try await wait(deadline: deadline)
    }

    /// Kills the program and everything that it started.
    package func kill() {
        execution.kill()
    }
}

/// Starts a program, passes it to `body`, and kills it when `body` is done, whatever happened.
///
/// - Parameters: As for ``ChildProcess/init(_:_:environment:currentDirectory:)``.
/// - Throws: ``ChildProcessError`` when the program can't be started, and what `body` throws.
package func withChildProcess<Result>(
    _ executable: String,
    _ arguments: [String] = [],
    environment: [String: String]? = nil,
    currentDirectory: String? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (ChildProcess) async throws -> Result
) async throws -> Result {
    let process = try ChildProcess(
        executable,
        arguments,
        environment: environment,
        currentDirectory: currentDirectory
    )
    defer { process.kill() }
    return try await body(process)
}
