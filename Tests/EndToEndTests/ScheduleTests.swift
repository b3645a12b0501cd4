import BundleTesting
import Foundation
import Testing

/// `schedule`, and what systemd makes of its units.
struct ScheduleTests {
    static let analyzer = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(
        .enabled(if: analyzer != nil, "systemd-analyze is not installed"),
        arguments: [[], ["--user"], ["--every", "6h"], ["--", "--keep", "2"]]
    )
    func `systemd accepts the units, whatever the names of the folders`(_ options: [String]) async throws {
        try await withTemporaryDirectory { directory in
            let folder = directory.path(of: "a b%n$HOME")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let program = folder + "/bundlectl"
            try FileManager.default.copyItem(atPath: Bundlectl.path, toPath: program)
            let units = directory.path(of: "units")
            try FileManager.default.createDirectory(atPath: units, withIntermediateDirectories: true)
            let arguments = ["schedule", "--systemd", "--store", folder + #"/the "store"\"#, "--to", units] + options
            let schedule = try await ChildProcess.run(program, arguments)
            #expect(schedule.exitCode == 0, "\(schedule.errorOutput)")
            let manager = options.contains("--user") ? ["--user"] : ["--system"]
            let files = ["service", "timer"].map { "\(units)/bundlectl-update.\($0)" }
            // A user's manager has its sockets there.
            let environment = ProcessInfo.processInfo.environment.merging(["XDG_RUNTIME_DIR": units]) { _, new in new }
            let analyzer = try #require(Self.analyzer)
            let verification = try await ChildProcess.run(
                analyzer,
                manager + ["verify"] + files,
                environment: environment
            )
            #expect(verification.exitCode == 0)
            #expect(verification.errorOutput == "")
        }
    }

    @Test func `the line for cron updates the bundles when a shell runs it`() async throws {
        try await withFeedSite { site in
            try await site.install("docs", "1.0.0")
            try await site.publish("docs", "1.1.0")
            let line = try await site.bundlectl.expect(0, "schedule", "--cron", "--", "docs", "--no-precache").output
            let words = line.split(separator: " ", maxSplits: 5)
            #expect(words.prefix(5) == ["*/15", "*", "*", "*", "*"])
            let command = try #require(words.last?.replacing("--random-delay 15m", with: "--random-delay 0s"))
            // What cron does before it runs a line.
            let update = try await ChildProcess.run("/bin/sh", ["-c", String(command).replacing("\\%", with: "%")])
            #expect(update.exitCode == 0, "\(update.errorOutput)")
            #expect(try await site.active("docs") == "1.1.0")
        }
    }

    @Test(arguments: [
        [], ["--systemd", "--cron"], ["--cron", "--user"], ["--systemd", "--every", "7m"],
        ["--systemd", "--", "--no-such-option"], ["--systemd", "--store", "a\nb"],
    ])
    func `what no clock can be given is refused`(_ options: [String]) async throws {
        let result = try await ChildProcess.run(Bundlectl.path, ["schedule"] + options)
        #expect(result.exitCode == 64)
    }

    @Test func `a program that systemd doesn't run is told`() async throws {
        try await withTemporaryDirectory { directory in
            let program = directory.path(of: "it's")
            try FileManager.default.copyItem(atPath: Bundlectl.path, toPath: program)
            let result = try await ChildProcess.run(program, ["schedule", "--systemd"])
            #expect(result.exitCode == 64)
            #expect(result.errorOutput.contains("quotes"))
        }
    }

    @Test func `the units are printed under their names`() async throws {
        let result = try await ChildProcess.run(Bundlectl.path, ["schedule", "--systemd"])
        let names = result.output.split(separator: "\n").filter { $0.hasPrefix("# ") }
        #expect(names == ["# bundlectl-update.service", "# bundlectl-update.timer"])
    }
}
