import BundleTesting
import Foundation
import Testing

/// The real `bundlectl` with an unusual store path, or unusual system limits.
struct OddStoreTests {
    /// Runs a line of shell in a folder.
    private func shell(_ line: String, in directory: TemporaryDirectory) async throws -> ProcessResult {
        try await ChildProcess.run("/bin/sh", ["-c", "cd '\(directory.path)' && \(line)"])
    }

    @Test(arguments: ["file:odd", "./file:odd?mode=ro", "a%20b", ":memory:"])
    func `a relative path is a path, even where SQLite would interpret it differently`(_ store: String) async throws {
        try await withPublisher { publisher, _ in
            let archive = publisher.archive("1.0.0")
            try await withTemporaryDirectory { directory in
                for verb in ["install '\(archive)'", "list", "verify"] {
                    let result = try await shell("\(Bundlectl.path) \(verb) --store '\(store)'", in: directory)
                    #expect(result.exitCode == 0, "\(result.errorOutput)")
                }
                let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
                #expect(names == [store.replacingOccurrences(of: "./", with: "")])
            }
        }
    }

    @Test func `too few descriptors are reported as such, and never as damage`() async throws {
        try await withPublisher { publisher, bundlectl in
            for version in ["1.0.0", "1.1.0"] { try await bundlectl.expect(0, "install", publisher.archive(version)) }
            var statuses: Set<Int32?> = []
            for limit in 8...24 {
                let line = "ulimit -n \(limit) && exec \(Bundlectl.path) list --store '\(bundlectl.store)'"
                let result = try await shell(line, in: publisher.directory)
                statuses.insert(result.exitCode)
                guard result.exitCode != 0 else { continue }
                #expect(result.exitCode == 73, "\(limit): \(result.errorOutput)")
                #expect(result.errorOutput.contains("raise the limit of open files"), "\(limit): \(result.errorOutput)")
            }
            #expect(statuses == [0, 73])
        }
    }
}
