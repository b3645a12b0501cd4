import BundleStore
import BundleUpdate
import Foundation

/// Has a key store sign: runs a command with what is to be signed on its standard input, and returns its standard output. A value type.
///
/// It gets all of this process's environment, where the programs of key stores look for credentials, and the key's id as
/// `BUNDLECTL_KEY_ID`. The terminal isn't its own, so that it can ask nothing there.
struct KeyStoreCommand {
    /// How long the command may run; then its process group is killed.
    static let defaultTimeLimit: TimeInterval = 60
    /// What it may write: a signature of RSA with 8,192 bits takes 2,048 hexadecimal digits.
    static let maximumByteCount = 16_384

    var timeLimit = Self.defaultTimeLimit

    /// Runs a command with the limits that are usual.
    ///
    /// - Throws: As ``callAsFunction(_:_:_:)``.
    @Sendable static func run(_ command: String, _ payload: [UInt8], _ keyID: String) throws(BundleError) -> [UInt8] {
        try KeyStoreCommand()(command, payload, keyID)
    }

    /// - Throws: `BundleError` with code `outputUnavailable` when the command can't be started, fails, takes too long, or writes too much.
    func callAsFunction(_ command: String, _ payload: [UInt8], _ keyID: String) throws(BundleError) -> [UInt8] {
        let (status, output) = try outcome(command, payload, ["BUNDLECTL_KEY_ID": keyID])
        let name = "“\(Printable.line(command))”"
        switch (status, output) {
        case (.exited(0), let output?): return output
        case (.exited(let code), _) where code != 0:
            throw BundleError(
                .outputUnavailable,
                "\(name) exited with \(code); run it alone, with any text on its standard input"
            )
        default:
            throw BundleError(
                .outputUnavailable,
                "\(name) was ended: it ran for over \(Int(timeLimit)) seconds, got a signal, or wrote more than a signature; it may ask nothing "
                    + "on the terminal"
            )
        }
    }

    /// Runs a command.
    ///
    /// - Parameters:
    ///   - payload: Its standard input.
    ///   - variables: What is added to the environment.
    /// - Returns: How it has ended, and its standard output; nil when that took too long, or is too much.
    /// - Throws: `BundleError` with code `outputUnavailable` when the command can't be started.
    func outcome(
        _ command: String,
        _ payload: [UInt8],
        _ variables: [String: String]
    ) throws(BundleError) -> (status: ShellProcess.Status, output: [UInt8]?) {
        let input = try Self.file(with: payload)
        defer { close(input) }
        let (reading, writing) = try Self.pipe()
        defer { close(reading) }
        let child: ShellProcess
        do {
            defer { close(writing) }
            var environment = ProcessInfo.processInfo.environment
            environment.merge(variables) { $1 }
            child = try ShellProcess(command, input: .descriptor(input), output: writing, environment: environment)
        }
        let deadline = DispatchTime.now() + timeLimit
        let output = Self.read(reading, until: deadline)
        // Having closed its output, it may go on for ever.
        let timeout = DispatchWorkItem { child.kill() }
        if output == nil {
            child.kill()
        } else {
            DispatchQueue.global().asyncAfter(deadline: deadline, execute: timeout)
        }
        let status = child.wait()
        timeout.cancel()
        return (status, output)
    }

    /// What is written until the end; nil when it takes too long, or is too much.
    private static func read(_ descriptor: Int32, until deadline: DispatchTime) -> [UInt8]? {
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while output.count <= maximumByteCount {
            let (now, end) = (DispatchTime.now().uptimeNanoseconds, deadline.uptimeNanoseconds)
            guard now < end else { return nil }
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&event, 1, Int32(clamping: (end - now) / 1_000_000 + 1)) > 0 else { continue }
            let count = Foundation.read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return count == 0 ? output : nil }
            output += chunk[..<count]
        }
        return nil
    }

    private static func pipe() throws(BundleError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Foundation.pipe(&ends) == 0 else { throw failure("a pipe can't be made") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// A file without a name: a pipe takes a few kilobytes at once, and some programs have to know the size.
    private static func file(with bytes: [UInt8]) throws(BundleError) -> Int32 {
        var name = Array(FileManager.default.temporaryDirectory.appending(path: "bundlectl-XXXXXX").path.utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw failure("a temporary file can't be made") }
        unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                close(descriptor)
                throw failure("a temporary file can't be written")
            }
            rest = rest.dropFirst(count)
        }
        lseek(descriptor, 0, SEEK_SET)
        return descriptor
    }

    private static func failure(_ what: String) -> BundleError {
        BundleError(.outputUnavailable, "\(what): \(String(cString: strerror(errno)))")
    }
}

/// Runs the programs that keep the credentials of registries for docker(1).
enum CredentialHelper {
    /// Asks one for the credential of a registry.
    ///
    /// - Throws: `BundleError` with code `outputUnavailable` when it can't be started.
    @Sendable static func run(_ program: String, _ registry: String) async throws -> DockerCredentials.HelperResult {
        let (status, output) = try KeyStoreCommand().outcome("exec \(program) get", Array(registry.utf8), [:])
        return DockerCredentials.HelperResult(isSuccess: status == .exited(0), output: output ?? [])
    }
}
