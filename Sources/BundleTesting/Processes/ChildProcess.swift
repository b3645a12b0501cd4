import Foundation
import NIOCore

/// A program that a test runs, with its output captured.
///
/// The program gets `/dev/null` as its standard input and a process group of its own. The whole group is killed when
/// the program ends and when the last reference to this object goes away, so that nothing outlives the test.
/// Safe to use from any number of tasks at once.
package final class ChildProcess: Sendable {
    /// How long a program is waited for, unless said otherwise: only against one that hangs. What it does in the background, at the
    /// lowest priority, gets little of a busy machine.
    package static let patience = Duration.seconds(300)

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
        deadline: Duration = ChildProcess.patience
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
    package func wait(deadline: Duration = ChildProcess.patience) async throws -> ProcessResult {
        try await execution.monitor.wait(for: "the end of \(command)", deadline: deadline) { $0.result }
    }

    /// Waits for a whole line on standard output, from the start of the output on, that meets `condition`.
    ///
    /// - Returns: The first such line, without its line end.
    /// - Throws: ``ChildProcessError`` when the program ends without one, ``DeadlineExceeded`` after `deadline`, and
    ///   `CancellationError` when the task is cancelled.
    package func waitForLine(
        deadline: Duration = ChildProcess.patience,
        where condition: @escaping @Sendable (String) -> Bool
    ) async throws -> String {
        let found = try await execution.monitor.wait(for: "a line from \(command)", deadline: deadline) { state in
            state.outputLines.first(where: condition).map { Result.success($0) }
                ?? state.result.map { .failure(ChildProcessError.endedWithoutLine(command: self.command, $0)) }
        }
        return try found.get()
    }

    /// Waits for a line that contains `text`; see ``waitForLine(deadline:where:)``.
    package func waitForLine(containing text: String, deadline: Duration = ChildProcess.patience) async throws -> String
    {
        try await waitForLine(deadline: deadline) { $0.contains(text) }
    }

    /// Waits until standard error contains a text.
    ///
    /// - Throws: As ``waitForLine(deadline:where:)`` does.
    package func waitForErrorOutput(containing text: String, deadline: Duration = ChildProcess.patience) async throws {
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
    package func terminate(deadline: Duration = ChildProcess.patience) async throws -> ProcessResult {
        send(SIGTERM)
        return try await wait(deadline: deadline)
    }

    /// Kills the program and everything that it started.
    package func kill() {
        execution.kill()
    }
}

/// Starts a program, passes it to `body`, and kills it when `body` returns or throws. Its ports and locks are free then: on a
/// busy machine a program outlives the signal for a while.
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
    return try await withCleanup {
        try await body(process)
    } cleanUp: {
        process.kill()
        _ = try? await process.wait()
    }
}

/// The ending and the output of a program.
package struct ProcessResult: Sendable {
    /// How it ended.
    package enum Ending: Hashable, Sendable {
        /// It returned this exit code, 0 to 255.
        case exit(Int32)
        /// This signal ended it.
        case signal(Int32)
    }

    /// How it ended.
    package let ending: Ending
    /// All bytes of its standard output.
    package let outputBytes: [UInt8]
    /// All bytes of its standard error.
    package let errorBytes: [UInt8]

    /// The exit code, or nil when a signal ended it.
    package var exitCode: Int32? {
        if case .exit(let code) = ending { code } else { nil }
    }

    /// Standard output as text; invalid UTF-8 is replaced.
    package var output: String { String(decoding: outputBytes, as: UTF8.self) }

    /// Standard error as text; invalid UTF-8 is replaced.
    package var errorOutput: String { String(decoding: errorBytes, as: UTF8.self) }
}

extension ProcessResult.Ending {
    /// Reads a status as `waitpid` gives it (POSIX `<sys/wait.h>`; its macros don't reach Swift).
    init(waitStatus status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal)
    }
}

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

/// The socket of a service manager, to which its services send their states (sd_notify(3)). They are received at once, so that a
/// service never waits for a test.
package final class NotificationSocket: Sendable {
    private let descriptor: CInt
    private let path: String
    private let received: Monitor<[String]>

    /// - Parameter path: Where it is made: there must be nothing, and the path must be short enough for a socket.
    package init(at path: String) throws {
        let descriptor = socket(AF_UNIX, Self.datagram, 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        let address = try SocketAddress(unixDomainSocketPath: path)
        guard address.withSockAddr({ bind(descriptor, $0, socklen_t($1)) }) == 0 else {
            throw IOError(errnoCode: errno, reason: "bind \(path)")
        }
        let received = Monitor<[String]>([])
        (self.descriptor, self.path, self.received) = (descriptor, path, received)
        Thread {
            var bytes = [UInt8](repeating: 0, count: 1_000)
            while case let count = recv(descriptor, &bytes, bytes.count, 0), count > 0 {
                received.update { [bytes] in $0.append(String(decoding: bytes.prefix(count), as: UTF8.self)) }
            }
            close(descriptor)
        }.start()
    }

    deinit { shutdown(descriptor, CInt(SHUT_RD)) }

    /// The next state that was sent.
    ///
    /// - Throws: ``DeadlineExceeded`` when none comes for 30 seconds.
    package func next() async throws -> String {
        try await received.wait(for: "a state at \(path)", deadline: .seconds(30)) { $0.isEmpty ? nil : () }
        return received.update { $0.removeFirst() }
    }

    #if canImport(Glibc)
        private static let datagram = Int32(SOCK_DGRAM.rawValue)
    #else
        private static let datagram = SOCK_DGRAM
    #endif
}

/// The executables of the package's build, for tests that run them.
package enum BuiltProducts {
    /// The folder of the running test bundle, which also has the package's executables.
    package static var directory: URL {
        // On macOS the tests run in a tool of Xcode that has loaded the bundle; elsewhere the bundle is the program.
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let program = bundle?.bundleURL ?? Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        return program.resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// The absolute path of the executable product `name`, for example `bundlectl`.
    package static func path(of name: String) -> String {
        directory.appendingPathComponent(name).path
    }
}

/// python-tuf, the reference implementation of The Update Framework, with which this project's is compared. Safe to use from any number of
/// tasks at once.
package enum PythonTUF {
    private static let packages = Project.path(".build/python-tuf")

    /// Whether `scripts/fetch-python-tuf` has installed it.
    package static let isInstalled = FileManager.default.fileExists(atPath: packages)
    /// For a test that is skipped without it.
    package static let advice = "scripts/fetch-python-tuf installs python-tuf"

    /// Runs a program of `Tests/BundleTrustTests/Python` to its end.
    ///
    /// - Parameter program: Its name without the extension.
    /// - Throws: As ``ChildProcess/run(_:_:environment:currentDirectory:deadline:)``.
    package static func run(_ program: String, _ arguments: [String]) async throws -> ProcessResult {
        try await ChildProcess.run(
            "/usr/bin/env",
            ["python3", Project.path("Tests/BundleTrustTests/Python/\(program).py")] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(["PYTHONPATH": packages]) { $1 }
        )
    }
}
