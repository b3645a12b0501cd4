import BundleNetwork
import BundleStore
import Foundation
import HTTPCore
import Synchronization

#if canImport(Glibc)
    import CSpawn
#endif

/// Runs a command for each event, with the event on its standard input.
///
/// The shell gets nothing but the operator's own words: what comes from feeds and pages is on standard input alone.
struct CommandHook: EventHook {
    /// How long a command may run; then its process group is killed.
    static let defaultTimeLimit: Duration = .seconds(10)

    let command: String
    /// The store's folder, which the command gets as `BUNDLECTL_STORE`.
    let store: String
    let clock: any Clock<Duration>
    var timeLimit = Self.defaultTimeLimit

    var title: String { "--on-event" }

    func deliver(_ event: UpdateEvent) async throws {
        let document = JSONDocument.line(of: event) + "\n"
        let child = try HookProcess(command, input: document, environment: environment)
        let timeout = Task { [clock, timeLimit] in
            try await clock.sleep(for: timeLimit)
            child.kill()
        }
        defer { timeout.cancel() }
        let status = await withTaskCancellationHandler {
            await withTaskExecutorPreference(BlockingExecutor()) { child.wait() }
        } onCancel: {
            child.kill()
        }
        try Task.checkCancellation()
        switch status {
        case .exited(0): return
        case .exited(let code): throw failure("exited with \(code)")
        case .killed: throw failure("was killed: it ran for over \(timeLimit), or got a signal")
        }
    }

    /// The little that a shell needs; whatever else is in this process's environment may be secret.
    private var environment: [String: String] {
        let own = ProcessInfo.processInfo.environment
        var environment = own.filter { ["HOME", "LANG", "TZ", "USER"].contains($0.key) }
        environment["PATH"] = own["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        environment["BUNDLECTL_STORE"] = store
        return environment
    }

    private func failure(_ what: String) -> BundleError {
        BundleError(.outputUnavailable, "“\(command)” \(what)")
    }
}

/// A command that runs in a shell and a process group of its own. It gets a text on its standard input, and this
/// process's standard error for both of its outputs; no other descriptor is inherited. Thread-safe.
final class HookProcess: Sendable {
    /// How a process has ended.
    enum Status: Equatable {
        case exited(Int32)
        case killed
    }

    private let identifier: pid_t
    /// The number of a process that was waited for may be another one's.
    private let hasEnded = Mutex(false)

    /// - Parameters:
    ///   - command: What the shell gets.
    ///   - input: The standard input: at most 4,096 bytes, which every pipe takes at once.
    ///   - environment: The whole environment.
    /// - Throws: `BundleError` with code `outputUnavailable` when it can't be started.
    init(_ command: String, input: String, environment: [String: String]) throws {
        let reading = try Self.pipe(with: input)
        defer { close(reading) }
        identifier = try Self.spawn(["/bin/sh", "-c", command], environment, input: reading)
    }

    /// Waits for its end, ends what it has left behind in its group, and removes it from the system's table. Blocks the
    /// thread; to be called once.
    func wait() -> Status {
        var information = siginfo_t()
        // Only looks at first: as long as the process is there, its number is its own.
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        var status: Int32 = 0
        hasEnded.withLock { hasEnded in
            hasEnded = true
            // Before its number, which is the group's, can be another's.
            _ = Foundation.kill(-identifier, SIGKILL)
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        }
        // WIFEXITED and WEXITSTATUS are macros.
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed
    }

    /// Ends it, and what it has started in its group.
    func kill() {
        hasEnded.withLock { hasEnded in
            if !hasEnded { _ = Foundation.kill(-identifier, SIGKILL) }
        }
    }

    /// A pipe's end to read a text from.
    private static func pipe(with text: String) throws -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard Foundation.pipe(&ends) == 0 else { throw failure("a pipe can't be made", errno) }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        let bytes = Array(text.utf8)
        guard write(ends[1], bytes, bytes.count) == bytes.count else {
            let code = errno
            close(ends[0])
            throw failure("the event can't be written", code)
        }
        return ends[0]
    }

    private static func spawn(_ words: [String], _ environment: [String: String], input: Int32) throws -> pid_t {
        var actions = Self.actions(input: input)
        var attributes = Self.attributes()
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        let arguments = words.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, words[0], &actions, &attributes, arguments, variables)
        guard code == 0 else { throw failure("\(words[0]) can't be started", code) }
        return identifier
    }

    private static func failure(_ what: String, _ code: Int32) -> BundleError {
        BundleError(.outputUnavailable, "\(what): \(String(cString: strerror(code)))")
    }
}

#if canImport(Darwin)
    extension HookProcess {
        private static func actions(input: Int32) -> posix_spawn_file_actions_t? {
            var actions: posix_spawn_file_actions_t?
            posix_spawn_file_actions_init(&actions)
            redirect(&actions, input)
            return actions
        }

        private static func attributes() -> posix_spawnattr_t? {
            var attributes: posix_spawnattr_t?
            posix_spawnattr_init(&attributes)
            separate(&attributes, POSIX_SPAWN_CLOEXEC_DEFAULT)
            return attributes
        }
    }
#else
    extension HookProcess {
        private static func actions(input: Int32) -> posix_spawn_file_actions_t {
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            redirect(&actions, input)
            #if canImport(Glibc)
                // A library may have opened files that programs inherit.
                posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
            #endif
            return actions
        }

        private static func attributes() -> posix_spawnattr_t {
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            separate(&attributes, 0)
            return attributes
        }
    }
#endif

extension HookProcess {
    #if canImport(Darwin)
        private typealias Actions = posix_spawn_file_actions_t?
        private typealias Attributes = posix_spawnattr_t?
    #else
        private typealias Actions = posix_spawn_file_actions_t
        private typealias Attributes = posix_spawnattr_t
    #endif

    /// Standard output has the report of this process, which mustn't be mixed with other text.
    private static func redirect(_ actions: inout Actions, _ input: Int32) {
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDERR_FILENO)
    }

    /// A process group of its own, which can be killed as a whole, and signals as at a program's start.
    private static func separate(_ attributes: inout Attributes, _ flags: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        sigdelset(&signals, SIGKILL)
        sigdelset(&signals, SIGSTOP)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let own = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETPGROUP)
        posix_spawnattr_setflags(&attributes, Int16(own | flags))
    }
}
