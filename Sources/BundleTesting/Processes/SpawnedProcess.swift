import Foundation

#if canImport(Darwin)
    private typealias FileActions = posix_spawn_file_actions_t?
    private typealias Attributes = posix_spawnattr_t?
    private let closeOthers = POSIX_SPAWN_CLOEXEC_DEFAULT
#else
    private typealias FileActions = posix_spawn_file_actions_t
    private typealias Attributes = posix_spawnattr_t
    private let closeOthers: Int32 = 0
#endif

/// A program that `posix_spawn` has started, and this process's ends of its two pipes.
///
/// Foundation's `Process` isn't used: on Linux it reports its end through a run loop, which tasks don't have.
struct SpawnedProcess {
    let id: pid_t
    let output: FileHandle
    let errorOutput: FileHandle

    /// - Throws: ``ChildProcessError/notStarted(executable:code:)``.
    init(executable: String, arguments: [String], environment: [String: String]) throws {
        let output = try OutputPipe(for: executable)
        let errorOutput = try OutputPipe(for: executable)
        id = try SpawnedProcess.spawn([executable] + arguments, environment, output, errorOutput)
        self.output = output.reading
        self.errorOutput = errorOutput.reading
    }

    private static func spawn(
        _ arguments: [String],
        _ environment: [String: String],
        _ output: OutputPipe,
        _ errorOutput: OutputPipe
    ) throws -> pid_t {
        var actions = makeFileActions(output, errorOutput)
        var attributes = makeAttributes()
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        var argumentPointers = arguments.map { strdup($0) } + [nil]
        var environmentPointers = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { (argumentPointers + environmentPointers).forEach { free($0) } }

        var id: pid_t = 0
        let code = posix_spawnp(&id, arguments[0], &actions, &attributes, &argumentPointers, &environmentPointers)
        guard code == 0 else { throw ChildProcessError.notStarted(executable: arguments[0], code: code) }
        return id
    }

    private static func makeFileActions(_ output: OutputPipe, _ errorOutput: OutputPipe) -> FileActions {
        var actions = FileActions.empty
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output.writing.fileDescriptor, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errorOutput.writing.fileDescriptor, STDERR_FILENO)
        #if !canImport(Darwin)
            // No other descriptor is passed on. SwiftNIO's sockets aren't closed on exec: a child would keep a port
            // open that a test has closed. Closing an unused number isn't an error, except beyond the limit.
            for descriptor in 3..<Int32(min(sysconf(Int32(_SC_OPEN_MAX)), 4_096)) {
                posix_spawn_file_actions_addclose(&actions, descriptor)
            }
        #endif
        return actions
    }

    private static func makeAttributes() -> Attributes {
        var attributes = Attributes.empty
        posix_spawnattr_init(&attributes)
        // A group of its own, so that its own children can be ended with it; and the signals as a shell would set them,
        // whatever the test's threads block or ignore.
        posix_spawnattr_setpgroup(&attributes, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        sigdelset(&signals, SIGKILL)
        sigdelset(&signals, SIGSTOP)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | closeOthers
        posix_spawnattr_setflags(&attributes, Int16(flags))
        return attributes
    }
}

#if canImport(Darwin)
    extension Optional where Wrapped == OpaquePointer {
        fileprivate static var empty: Self { nil }
    }
#else
    extension posix_spawn_file_actions_t {
        fileprivate static var empty: Self { Self() }
    }

    extension posix_spawnattr_t {
        fileprivate static var empty: Self { Self() }
    }
#endif

/// Watches a running program: two threads read its output, a third waits for its end. Threads, because all three calls
/// block, and Swift's own threads must not.
final class ProcessExecution: Sendable {
    let monitor = Monitor(State())
    private let id: pid_t

    struct State: Sendable {
        var output: [UInt8] = []
        var errorOutput: [UInt8] = []
        var openStreams = 2
        var ending: ProcessResult.Ending?
        /// After the program's end, its id may belong to another one and must not be signalled.
        var hasEnded = false

        /// Present as soon as the program has ended and all its output is read.
        var result: ProcessResult? {
            guard openStreams == 0, let ending else { return nil }
            return ProcessResult(ending: ending, outputBytes: output, errorBytes: errorOutput)
        }

        /// The complete lines of the output; after its end also a last one without a line end.
        var outputLines: [String] {
            var lines = output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            if openStreams > 0 || lines.last?.isEmpty == true { lines.removeLast() }
            return lines.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    init(_ process: SpawnedProcess) {
        id = process.id
        let (output, errorOutput) = (process.output, process.errorOutput)
        Thread.detachNewThread { self.read(output) { $0.output += $1 } }
        Thread.detachNewThread { self.read(errorOutput) { $0.errorOutput += $1 } }
        Thread.detachNewThread { self.waitForEnd() }
    }

    func send(_ signal: Int32) {
        monitor.update { [id] state in
            if !state.hasEnded { _ = Foundation.kill(id, signal) }
        }
    }

    func kill() {
        monitor.update { [id] state in
            if !state.hasEnded { _ = Foundation.kill(-id, SIGKILL) }
        }
    }

    private func read(_ stream: FileHandle, append: @Sendable (inout State, [UInt8]) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Foundation.read(stream.fileDescriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            let chunk = Array(buffer[..<count])
            monitor.update { append(&$0, chunk) }
        }
        monitor.update { $0.openStreams -= 1 }
    }

    private func waitForEnd() {
        var information = siginfo_t()
        // WNOWAIT keeps the id reserved until the group has been killed.
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        monitor.update { [id] state in
            state.hasEnded = true
            _ = Foundation.kill(-id, SIGKILL)
        }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        let ending = ProcessResult.Ending(waitStatus: status)
        monitor.update { $0.ending = ending }
    }
}

/// A pipe that a child process writes to.
struct OutputPipe {
    let reading: FileHandle
    let writing: FileHandle

    /// - Throws: ``ChildProcessError/notStarted(executable:code:)`` when no file descriptor is left.
    init(for executable: String) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ChildProcessError.notStarted(executable: executable, code: errno) }
        reading = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    }
}
