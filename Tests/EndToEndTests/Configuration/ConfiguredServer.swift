import BundleTesting
import Foundation
import Testing

/// A `serve` with a configuration file that a test changes.
struct ConfiguredServer {
    let address: String
    let process: ChildProcess
    let directory: TemporaryDirectory
    private let file: String

    /// The path of a file of this server.
    func path(_ name: String) -> String { directory.path(of: name) }

    /// A request by curl.
    func get(_ path: String, _ options: String...) async throws -> Curl {
        try await Curl.get(path.hasPrefix("http") ? path : address + path, options)
    }

    /// Replaces the file, and sends SIGHUP.
    ///
    /// - Parameter text: What the log says when it was read; nil to wait for nothing.
    func reload(_ json: String, until text: String? = "the configuration was read again: ") async throws {
        try directory.write(json, to: file)
        process.send(SIGHUP)
        if let text { try await process.waitForErrorOutput(containing: text) }
    }

    /// Waits for a text in the log.
    func waitForLog(_ text: String) async throws { try await process.waitForErrorOutput(containing: text) }

    /// Asks until the response is as expected.
    func wait(for path: String, _ options: String..., where condition: (Curl) -> Bool) async throws {
        for _ in 0..<500 {
            if condition(try await Curl.get(address + path, options)) { return }
        }
        Issue.record("\(path) doesn't become as expected")
    }

    /// Starts one for a store, with a configuration file, while `body` runs.
    static func running(
        _ bundlectl: Bundlectl,
        in directory: TemporaryDirectory,
        _ json: String,
        _ options: [String] = [],
        isolation: isolated (any Actor)? = #isolation,
        _ body: (ConfiguredServer) async throws -> Void
    ) async throws {
        let file = try directory.write(json, to: "serve.json")
        try await bundlectl.serving(["--config", file] + options) { address, process in
            try await body(
                ConfiguredServer(address: address, process: process, directory: directory, file: "serve.json")
            )
        }
    }
}
