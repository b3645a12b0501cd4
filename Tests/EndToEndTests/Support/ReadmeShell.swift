import BundleTesting
import Foundation
import Testing

/// Runs README's command lines in a shell, with the test's web server in place of the publisher's.
struct ReadmeShell {
    /// The folder that the lines are run in.
    let app: String
    /// The folder of the publisher's web server, for `/srv/www`, and its address, for `https://get.example.com`.
    let site: String
    let origin: String
    let store: String

    /// Runs a line, which must succeed.
    func run(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let result = try await ChildProcess.run(
            "sh",
            ["-c", "exec \(adapted(line))"],
            environment: environment,
            currentDirectory: app
        )
        #expect(result.exitCode == 0, "\(line): \(result.output)\(result.errorOutput)", sourceLocation: sourceLocation)
    }

    /// Runs a line with a server while `body` runs, on a free port.
    func serving(
        _ line: String,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (_ address: String) async throws -> Void
    ) async throws {
        let arguments = ["-c", "cd '\(app)' && exec \(adapted(line)) --listen 127.0.0.1:0"]
        try await withChildProcess("sh", arguments, environment: environment) { server in
            let found = try await server.waitForLine(containing: "listening on ")
            try await body(found.replacingOccurrences(of: "listening on ", with: ""))
        }
    }

    private func adapted(_ line: String) -> String {
        line.replacingOccurrences(of: "/srv/www/", with: site + "/")
            .replacingOccurrences(of: "https://get.example.com/", with: origin + "/")
    }

    private var environment: [String: String] {
        let folder = URL(fileURLWithPath: Bundlectl.path).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return ProcessInfo.processInfo.environment
            .merging(["BUNDLECTL_STORE": store, "PATH": "\(folder):\(path)"]) { $1 }
    }
}
