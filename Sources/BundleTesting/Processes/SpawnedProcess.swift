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
