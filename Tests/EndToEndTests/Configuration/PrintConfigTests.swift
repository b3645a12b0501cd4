import BundleTesting
import Foundation
import Testing

@testable import bundlectl

/// `serve --print-config` and refusals of a configuration, by the real binary.
struct PrintConfigTests {
    @Test func `each option is printed with its value and its source, and nothing is opened`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let json = #"{"mount": ["shop=/", "docs=/docs/"], "checkEvery": "5m", "verbose": true}"#
            let file = try directory.write(json, to: "serve.json")
            let environment = bundlectl.environment.merging(
                ["BUNDLECTL_SERVE_CHECK_EVERY": "15m", "BUNDLECTL_SERVE_CHEK": "1"]
            ) { $1 }
            // The address can't be listened on.
            let arguments = ["serve", "--listen", "192.0.2.1:1", "--config", file, "--print-config"]
            let result = try await ChildProcess.run(Bundlectl.path, arguments, environment: environment)
            #expect(result.exitCode == 0, "\(result.errorOutput)")
            #expect(result.errorOutput == "bundlectl: warning: BUNDLECTL_SERVE_CHEK sets no option of serve\n")
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(lines.count == ConfigurableOption.all.count + 1)
            let columns = lines.map { line in
                line.components(separatedBy: "  ").filter { !$0.isEmpty }.map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
            }
            #expect(columns.first == ["KEY", "VALUE", "SOURCE"])
            #expect(columns.dropFirst().map(\.first) == ConfigurableOption.all.map(\.key))
            for row in [
                ["listen", "192.0.2.1:1", "command line"], ["mount", "shop=/, docs=/docs/", file],
                ["checkEvery", "15m", "environment variable BUNDLECTL_SERVE_CHECK_EVERY"], ["verbose", "true", file],
                ["quiet", "false", "default"], ["idleTimeout", "60s", "default"],
                ["store", bundlectl.store, "environment variable BUNDLECTL_STORE"],
            ] {
                #expect(columns.contains(row), "\(row)")
            }
            #expect(!FileManager.default.fileExists(atPath: bundlectl.store))
        }
    }

    @Test func `the store without any setting is its folder`() async throws {
        var environment = ProcessInfo.processInfo.environment
        environment["BUNDLECTL_STORE"] = nil
        environment["XDG_DATA_HOME"] = "/data"
        let result = try await ChildProcess.run(Bundlectl.path, ["serve", "--print-config"], environment: environment)
        let line = result.output.split(separator: "\n").first { $0.hasPrefix("store ") }
        #expect(line?.contains(" /data/bundlectl ") == true)
        #expect(line?.hasSuffix(" default") == true)
    }

    @Test(
        arguments: [
            (#"{"checkEvery": "5x"}"#, 64, "is invalid for '--check-every <duration>': a whole number and a unit"),
            (#"{"chekEvery": "5m"}"#, 64, "serve.json: chekEvery: no option has this key; did you mean “checkEvery”?"),
            ("no", 64, "serve.json: line 1, column 2"),
            (#"{"networkRules": "/none.json"}"#, 66, "/none.json can't be read"),
        ] as [(String, Int32, String)]
    )
    func `a wrong configuration is refused, whether it is printed or served`(json: String, status: Int32, text: String)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let file = try directory.write(json, to: "serve.json")
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            for options in [["--print-config"], ["--listen", "127.0.0.1:0"]] {
                let result = try await bundlectl.run(["serve", "--config", file] + options)
                #expect(result.exitCode == status)
                #expect(result.errorOutput.contains(text), "\(result.errorOutput)")
            }
        }
    }

    @Test func `a file that isn't there, a folder and a FIFO are refused as missing inputs`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let fifo = directory.path(of: "fifo")
            #expect(mkfifo(fifo, 0o600) == 0)
            for path in [directory.path(of: "none"), directory.path, fifo] {
                let result = try await bundlectl.expect(66, "serve", "--config", path)
                #expect(result.errorOutput.hasPrefix("bundlectl: \(path) can't be read: "))
            }
        }
    }
}
