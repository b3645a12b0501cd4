import Foundation

/// python-tuf, the reference implementation of The Update Framework, with which this project's is compared. Safe to use from any number of
/// tasks at once.
package enum PythonTUF {
    private static let packages = Project.path(".build/python-tuf")

    /// Whether `scripts/fetch-python-tuf` has installed it.
    package static let isInstalled = FileManager.default.fileExists(atPath: packages)
    /// For a test that is skipped without it.
    package static let advice = "scripts/fetch-python-tuf installs python-tuf"

    /// Runs a program of `Tests/BundleTrustTests/Python` to its end.
    ///
    /// - Parameter program: Its name without the extension.
    /// - Throws: As ``ChildProcess/run(_:_:environment:currentDirectory:deadline:)``.
    package static func run(_ program: String, _ arguments: [String]) async throws -> ProcessResult {
        try await ChildProcess.run(
            "/usr/bin/env",
            ["python3", Project.path("Tests/BundleTrustTests/Python/\(program).py")] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(["PYTHONPATH": packages]) { $1 }
        )
    }
}
