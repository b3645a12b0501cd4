import Foundation

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
