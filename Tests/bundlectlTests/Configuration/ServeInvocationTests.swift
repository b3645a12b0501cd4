import ArgumentParser
import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import bundlectl

/// What the command line, the environment and the file make together.
struct ServeInvocationTests {
    private static func settings(
        _ arguments: [String],
        _ environment: [String: String] = [:],
        file: String? = nil
    ) async throws -> [String: Setting] {
        try await withTemporaryDirectory { directory in
            var arguments = arguments
            if let file { arguments += ["--config", try directory.write(Data(file.utf8), to: "serve.json")] }
            let settings = try ServeInvocation(arguments: arguments, environment: environment).settings()
            return Dictionary(uniqueKeysWithValues: settings.map { ($0.option.name, $0) })
        }
    }

    @Test(
        arguments: [
            ([], [:], "{}", "none", "default"),
            ([], [:], #"{"checkEvery": "1m"}"#, "1m", "serve.json"),
            ([], ["BUNDLECTL_SERVE_CHECK_EVERY": "2m"], #"{"checkEvery": "1m"}"#, "2m", "BUNDLECTL_SERVE_CHECK_EVERY"),
            ([], ["BUNDLECTL_SERVE_CHECK_EVERY": ""], #"{"checkEvery": "1m"}"#, "1m", "serve.json"),
            (["--check-every", "3m"], ["BUNDLECTL_SERVE_CHECK_EVERY": "2m"], "{}", "3m", "command line"),
            (["--check-every=3m"], [:], #"{"checkEvery": "1m"}"#, "3m", "command line"),
            (["--check-every", "3m", "--check-every", "4m"], [:], "{}", "4m", "command line"),
            (["--offline"], [:], #"{"checkEvery": "1m"}"#, "none", "default"),
        ] as [([String], [String: String], String, String, String)]
    )
    func `the command line comes before the environment, that before the file, and that before the default`(
        arguments: [String],
        environment: [String: String],
        file: String,
        text: String,
        source: String
    ) async throws {
        let setting = try #require(try await Self.settings(arguments, environment, file: file)["check-every"])
        #expect(setting.text == text)
        #expect(setting.source.description.contains(source))
    }

    @Test func `a list replaces that of the next source as a whole`() async throws {
        let file = #"{"mount": ["a=/a", "b=/b"], "host": []}"#
        #expect(try await Self.settings([], file: file)["mount"]?.text == "a=/a, b=/b")
        #expect(try await Self.settings([], file: file)["host"]?.text == "none")
        #expect(try await Self.settings(["--mount", "c=/"], file: file)["mount"]?.text == "c=/")
        let variables = ["BUNDLECTL_SERVE_MOUNT": "d=/d, e=/e"]
        #expect(try await Self.settings([], variables, file: file)["mount"]?.values == ["d=/d", "e=/e"])
    }

    @Test(arguments: [["--quiet"], ["-q"], ["--log-level", "error"], ["--log-level=error"]])
    func `of options that exclude each other, those of the first source count`(arguments: [String]) async throws {
        for key in ["verbose", "quiet"] {
            _ = try await Self.command(arguments, [:], #"{"\#(key)": true}"#)
            _ = try await Self.command(arguments, ["BUNDLECTL_SERVE_\(key.uppercased())": "yes"], "{}")
        }
        let serve = try await Self.command(arguments, ["BUNDLECTL_SERVE_VERBOSE": "1"], #"{"logLevel": "trace"}"#)
        #expect("\(serve.logging.level)" == "error")
        let variable = try await Self.command([], ["BUNDLECTL_SERVE_VERBOSE": "1"], #"{"logLevel": "trace"}"#)
        #expect("\(variable.logging.level)" == "debug")
    }

    @Test func `a variable takes back a flag of the file`() async throws {
        #expect(try await Self.command([], [:], #"{"verbose": true}"#).logging.verbose)
        #expect(
            try await !Self.command([], ["BUNDLECTL_SERVE_VERBOSE": "false"], #"{"verbose": true}"#).logging.verbose
        )
    }

    @Test func `a folder takes the place of a store that the file or the environment names`() async throws {
        let variables = ["BUNDLECTL_STORE": "/s", "BUNDLECTL_SERVE_STORE": "/t"]
        let serve = try await Self.command(["dist", "--watch"], variables, #"{"store": "/u"}"#)
        #expect(serve.store.folder == nil)
        #expect(serve.folder == "dist")
        #expect(try await Self.command(["--", "dist"], variables, "{}").store.folder == nil)
    }

    @Test func `the store is that of the first variable that is set`() async throws {
        let file = #"{"store": "/file"}"#
        #expect(try await Self.command([], [:], file).store.folder == "/file")
        #expect(try await Self.command([], ["BUNDLECTL_STORE": "/s"], file).store.folder == "/s")
        let both = ["BUNDLECTL_STORE": "/s", "BUNDLECTL_SERVE_STORE": "/t"]
        #expect(try await Self.command([], both, file).store.folder == "/t")
        #expect(try await Self.command(["--store", "/c"], both, file).store.folder == "/c")
    }

    @Test(
        arguments: [
            ([], [:], #"{"checkEvery": "5x"}"#, "such as 15m; --check-every is “checkEvery” in "),
            (
                [], ["BUNDLECTL_SERVE_LISTEN": "x"], "{}",
                "; --listen is set by BUNDLECTL_SERVE_LISTEN; see bundlectl serve --help"
            ),
            (
                [], [:], #"{"header": ["ETag: x"]}"#,
                "the server sets ETag itself; leave it out; --header is “header” in "
            ),
            ([], [:], #"{"mount": ["a=/", "b=/"]}"#, "; --mount is “mount” in "),
            ([], [:], #"{"socketMode": "660"}"#, "; --socket-mode is “socketMode” in "),
            (
                ["--listen", "x"], [:], "{}",
                "such as 127.0.0.1:8080 or unix:/run/bundles.sock; see bundlectl serve --help"
            ),
            ([], [:], #"{"maxConnections": 1.5}"#, "'1.5' is invalid for '--max-connections"),
            (
                [], ["BUNDLECTL_SERVE_VERBOSE": "maybe"], "{}",
                "BUNDLECTL_SERVE_VERBOSE must be true or false, but is “maybe”"
            ),
        ] as [([String], [String: String], String, String)]
    )
    func `an invalid value is refused as on the command line, and where it is set`(
        arguments: [String],
        environment: [String: String],
        file: String,
        message: String
    ) async {
        let error = await #expect(throws: (any Error).self) { try await Self.command(arguments, environment, file) }
        guard let error else { return }
        let line = UsageProblem(error, arguments: ["serve"] + arguments).description
        #expect(line.contains(message), "\(line)")
        #expect(!line.contains("--listen is “listen”"))
    }

    @Test func `a variable that sets no option is a warning`() {
        let environment = [
            "BUNDLECTL_SERVE_CHECK_EVRY": "1m", "BUNDLECTL_SERVE_CONFIG": "/a", "BUNDLECTL_STORE": "/s", "PATH": "/bin",
            "BUNDLECTL_SERVE_LISTEN": "127.0.0.1:1",
        ]
        #expect(
            ServeInvocation(arguments: [], environment: environment).warnings == [
                "BUNDLECTL_SERVE_CHECK_EVRY sets no option of serve; did you mean BUNDLECTL_SERVE_CHECK_EVERY?",
                "BUNDLECTL_SERVE_CONFIG sets no option of serve",
            ]
        )
    }

    @Test func `the help is there whatever the file is`() throws {
        #expect(try !(BundleCtl.verb(of: ["serve", "--config", "/none", "--help"]) is Serve))
    }

    @Test func `other commands don't look at the variables`() throws {
        _ = try BundleCtl.verb(of: ["list"], environment: ["BUNDLECTL_SERVE_VERBOSE": "maybe"])
    }

    private static func command(_ arguments: [String], _ environment: [String: String], _ file: String) async throws
        -> Serve
    {
        try await withTemporaryDirectory { directory in
            let path = try directory.write(Data(file.utf8), to: "serve.json")
            let arguments = ["serve", "--config", path] + arguments
            return try #require(try BundleCtl.verb(of: arguments, environment: environment) as? Serve)
        }
    }
}
