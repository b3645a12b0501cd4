import BundleTesting
import Foundation
import Testing

/// A publisher's web server as a process of its own, with the sample shop's archives made for it.
final class Publisher {
    let directory: TemporaryDirectory
    /// The folder that the server serves.
    let site: String
    private(set) var origin = ""
    private var process: ChildProcess?

    init(in directory: TemporaryDirectory) async throws {
        self.directory = directory
        site = directory.path(of: "site")
        try directory.write(Project.contents("bundles/shop/origin/api/stock.json"), to: "site/shop/api/stock.json")
        try FileManager.default.createDirectory(atPath: site + "/releases", withIntermediateDirectories: true)
        try await start()
        let script = try await ChildProcess.run(
            Project.path("scripts/make-sample-archives"),
            [directory.path, origin],
            environment: ProcessInfo.processInfo.environment.merging(["BUNDLECTL": Bundlectl.path]) { _, new in new }
        )
        guard script.exitCode == 0 else { throw Curl.Failure(message: script.errorOutput) }
    }

    /// The archive of one version of the shop.
    func archive(_ version: String) -> String { directory.path(of: "shop-\(version).zip") }

    /// Puts a version into the feed.
    func publish(_ version: String, with bundlectl: Bundlectl) async throws {
        try await bundlectl.expect(0, "publish", archive(version), "--to", site + "/releases")
    }

    /// The paths that were asked for, in order.
    var requestedPaths: [String] {
        (process?.output ?? "").split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.first == "GET" && words.count == 3 ? String(words[1]) : nil
        }
    }

    func stop() async throws {
        _ = try await process?.terminate()
        process = nil
    }

    private func start() async throws {
        let process = try ChildProcess(BuiltProducts.path(of: "origin-simulator"), [site, "--listen", "127.0.0.1:0"])
        let line = try await process.waitForLine(containing: "listening on ")
        origin = line.replacingOccurrences(of: "listening on ", with: "")
        self.process = process
    }
}

/// Lends a publisher and a `bundlectl` with a store of its own.
func withPublisher<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Publisher, Bundlectl) async throws -> Result
) async throws -> Result {
    try await withTemporaryDirectory { directory in
        let publisher = try await Publisher(in: directory)
        let result = try await body(publisher, Bundlectl(store: directory.path(of: "store")))
        try await publisher.stop()
        return result
    }
}
