import BundleTesting
import Foundation
import Testing

@Suite("ChildProcess")
struct ChildProcessTests {
    @Test("output, error output and exit code are kept apart")
    func streams() async throws {
        let result = try await ChildProcess.run("sh", ["-c", "echo out; echo err >&2; exit 3"])
        #expect(result.output == "out\n")
        #expect(result.errorOutput == "err\n")
        #expect(result.ending == .exit(3))
    }

    @Test("large output on both streams doesn't block the program")
    func largeOutput() async throws {
        let script = "head -c 5000000 /dev/zero; head -c 5000000 /dev/zero >&2"
        let result = try await ChildProcess.run("sh", ["-c", script])
        #expect(result.outputBytes.count == 5_000_000)
        #expect(result.errorBytes.count == 5_000_000)
    }

    @Test("the environment and the folder are the ones given")
    func surroundings() async throws {
        try await withTemporaryDirectory { directory in
            let result = try await ChildProcess.run(
                "/bin/sh",
                ["-c", "echo $COLOUR; pwd"],
                environment: ["COLOUR": "blue"],
                currentDirectory: directory.path
            )
            #expect(result.output == "blue\n\(directory.path)\n")
        }
    }

    @Test("a line is found while the program still runs")
    func line() async throws {
        try await withChildProcess("sh", ["-c", "echo one; echo two; sleep 1000"]) { process in
            let line = try await process.waitForLine { $0.hasPrefix("t") }
            #expect(line == "two")
            process.send(SIGTERM)
            let result = try await process.wait()
            #expect(result.ending == .signal(SIGTERM))
        }
    }

    @Test("a program that ends without the line is reported with its output")
    func missingLine() async throws {
        try await withChildProcess("sh", ["-c", "echo one; echo trouble >&2"]) { process in
            let error = await #expect(throws: ChildProcessError.self) {
                try await process.waitForLine(containing: "two")
            }
            #expect(error?.description.contains("trouble") == true)
        }
    }

    @Test("a program that isn't there can't be started")
    func missingProgram() {
        #expect(throws: ChildProcessError.self) { try ChildProcess("/no/such/program") }
    }

    @Test("a wait ends with its deadline, and the program runs on")
    func deadline() async throws {
        try await withChildProcess("sleep", ["1000"]) { process in
            await #expect(throws: DeadlineExceeded.self) { try await process.wait(deadline: .milliseconds(10)) }
            let result = try await process.terminate()
            #expect(result.ending == .signal(SIGTERM))
        }
    }

    @Test("nothing is left behind: the scope's end kills the program and its children")
    func scope() async throws {
        let (process, child) = try await withChildProcess("sh", ["-c", "sleep 1000 & echo $!; wait"]) { process in
            let child = try #require(pid_t(try await process.waitForLine { !$0.isEmpty }))
            #if os(Linux)
                #expect(isRunning(child))
            #endif
            return (process, child)
        }
        #expect(try await process.wait().ending == .signal(SIGKILL))
        // The child's own end of the output is closed too, or the wait above would not have returned.
        #expect(!isRunning(child))
    }

    @Test("nothing is left behind: the last reference's end kills the program")
    func release() async throws {
        try await withTemporaryDirectory { directory in
            let pipe = directory.path(of: "pipe")
            #expect(mkfifo(pipe, 0o600) == 0)
            let reader = try ChildProcess("cat", [pipe])
            var writer: ChildProcess? = try ChildProcess("sh", ["-c", "exec >\(pipe); echo up; sleep 1000"])
            _ = try await reader.waitForLine(containing: "up")
            #expect(writer != nil)
            writer = nil
            // The reader ends only because the writer's end of the pipe was closed.
            #expect(try await reader.wait().ending == .exit(0))
        }
    }

    /// A killed orphan closes its files before it has ended, and may then stay in the table as a zombie until it is reaped;
    /// neither is running. Only Linux tells. See proc(5) on `/proc/[pid]/stat`: behind the name are the state, and six fields later the flags.
    private func isRunning(_ id: pid_t) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            let nameEnd = status.range(of: ") ", options: .backwards)
        else { return false }
        let fields = status[nameEnd.upperBound...].split(separator: " ")
        guard fields.count > 6, let flags = UInt32(fields[6]) else { return false }
        let exiting: UInt32 = 0x4
        return !["Z", "X"].contains(fields[0]) && flags & exiting == 0
    }
}
