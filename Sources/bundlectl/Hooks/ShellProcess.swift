import BundleStore
import Foundation
import Synchronization

#if canImport(Glibc)
    import CSpawn
#endif

/// A command that runs in a shell and a process group of its own. Its standard error is this process's; no other descriptor is inherited
/// than those that it is given. Thread-safe.
final class ShellProcess: Sendable {
    /// How a process has ended.
    enum Status: Equatable {
        case exited(Int32)
        case killed
    }

    /// What a process reads.
    enum Input {
        /// At most 4,096 bytes, which every pipe takes at once.
        case text(String)
        /// An open file, which stays the caller's.
        case descriptor(Int32)
    }

    private let identifier: pid_t
    /// The number of a process that was waited for may be another one's.
    private let hasEnded = Mutex(false)

    /// - Parameters:
    ///   - command: What the shell gets.
    ///   - input: The standard input.
    ///   - output: What it writes to: this process's standard error, as standard output has the report, which mustn't be mixed with other
    ///     text. Otherwise an open file, which stays the caller's.
    ///   - environment: The whole environment.
    /// - Throws: `BundleError` with code `outputUnavailable` when it can't be started.
    init(
        _ command: String,
        input: Input,
        output: Int32 = STDERR_FILENO,
        environment: [String: String]
    ) throws(BundleError) {
        let words = ["/bin/sh", "-c", command]
        switch input {
        case .descriptor(let reading): identifier = try Self.spawn(words, environment, reading, output)
        case .text(let text):
            let reading = try Self.pipe(with: text)
            defer { close(reading) }
            identifier = try Self.spawn(words, environment, reading, output)
        }
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
    private static func pipe(with text: String) throws(BundleError) -> Int32 {
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

    private static func spawn(
        _ words: [String],
        _ environment: [String: String],
        _ input: Int32,
        _ output: Int32
    ) throws(BundleError) -> pid_t {
        var actions = Self.actions(input, output)
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
    extension ShellProcess {
        private static func actions(_ input: Int32, _ output: Int32) -> posix_spawn_file_actions_t? {
            var actions: posix_spawn_file_actions_t?
            posix_spawn_file_actions_init(&actions)
            redirect(&actions, input, output)
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
    extension ShellProcess {
        private static func actions(_ input: Int32, _ output: Int32) -> posix_spawn_file_actions_t {
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            redirect(&actions, input, output)
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

extension ShellProcess {
    #if canImport(Darwin)
        private typealias Actions = posix_spawn_file_actions_t?
        private typealias Attributes = posix_spawnattr_t?
    #else
        private typealias Actions = posix_spawn_file_actions_t
        private typealias Attributes = posix_spawnattr_t
    #endif

    private static func redirect(_ actions: inout Actions, _ input: Int32, _ output: Int32) {
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
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
