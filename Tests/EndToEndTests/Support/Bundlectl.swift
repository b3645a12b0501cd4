import BundleTesting
import Foundation
import Testing

/// The real `bundlectl`, run against one store.
struct Bundlectl: Sendable {
    static let path = BuiltProducts.path(of: "bundlectl")

    let store: String
    /// Further variables.
    private var variables: [String: String] = [:]

    init(store: String) {
        self.store = store
    }

    /// The same with further variables.
    func with(_ variables: [String: String]) -> Bundlectl {
        var other = self
        other.variables.merge(variables) { _, new in new }
        return other
    }

    var environment: [String: String] {
        ProcessInfo.processInfo.environment.merging(["BUNDLECTL_STORE": store]) { _, new in new }
            .merging(variables) { _, new in new }
    }

    /// Runs a verb to its end.
    func callAsFunction(_ arguments: String...) async throws -> ProcessResult {
        try await run(arguments)
    }

    /// Runs a verb to its end.
    func run(_ arguments: [String]) async throws -> ProcessResult {
        try await ChildProcess.run(Self.path, arguments, environment: environment)
    }

    /// Runs a verb and records an issue if it exits with another status.
    @discardableResult
    func expect(
        _ status: Int32,
        _ arguments: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ProcessResult {
        let result = try await run(arguments)
        #expect(result.exitCode == status, "\(result.output)\(result.errorOutput)", sourceLocation: sourceLocation)
        return result
    }

    /// Waits until a response is listed: a server writes them behind.
    func waitUntilCached(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for _ in 0..<200 where try await run(["cache", "list"]).output.contains(path) { return }
        Issue.record("\(path) isn't cached", sourceLocation: sourceLocation)
    }

    /// Waits until a server has made coded forms: the names of the files that `isWanted` accepts. It asks for nothing
    /// meanwhile, for requests would have the server wait.
    func waitForForms(
        _ count: Int,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ isWanted: (String) -> Bool = { _ in true }
    ) async throws {
        func found() -> Int {
            let names = try? FileManager.default.contentsOfDirectory(atPath: store + "/variants")
            return (names ?? []).count(where: isWanted)
        }
        try await eventually { found() >= count }
        #expect(found() == count, sourceLocation: sourceLocation)
    }

    /// Runs a verb that must succeed, and decodes the JSON that it prints.
    func json(_ arguments: String...) async throws -> AnyJSON {
        try await json(arguments)
    }

    /// Runs a verb that must succeed, and decodes the JSON that it prints.
    func json(_ arguments: [String]) async throws -> AnyJSON {
        let result = try await run(arguments + ["--json"])
        return try JSONDecoder().decode(AnyJSON.self, from: Data(result.outputBytes))
    }

    /// Damages the last file of each segment.
    func flipBit() throws {
        let folder = URL(fileURLWithPath: store + "/segments")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        try #require(!names.isEmpty)
        for segment in names.map({ folder.appendingPathComponent($0) }) {
            var bytes = try Data(contentsOf: segment)
            bytes[bytes.count - 1] ^= 1
            try bytes.write(to: segment)
        }
    }

    /// The address at which a bundle opens, on a server at 127.0.0.1.
    static func own(_ name: String, _ address: String) -> String {
        address.replacingOccurrences(of: "127.0.0.1", with: "\(name).localhost") + "/"
    }

    /// Runs `serve` on a free port while `body` runs.
    func serving<Result>(
        _ options: String...,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (_ address: String, ChildProcess) async throws -> Result
    ) async throws -> Result {
        try await serving(options, body)
    }

    /// The same with a list of options, `--listen` among them for another address.
    func serving<Result>(
        _ options: [String],
        isolation: isolated (any Actor)? = #isolation,
        _ body: (_ address: String, ChildProcess) async throws -> Result
    ) async throws -> Result {
        let arguments = ["serve", "--listen", "127.0.0.1:0"] + options
        return try await withChildProcess(Self.path, arguments, environment: environment) { server in
            let line = try await server.waitForLine(containing: "listening on ")
            let address = line.replacingOccurrences(of: "listening on ", with: "")
            return try await body(address, server)
        }
    }
}

/// Passes a `bundlectl` on that has its own store, with the folder in which that is.
func withBundlectl(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Bundlectl, TemporaryDirectory) async throws -> Void
) async throws {
    try await withTemporaryDirectory { folder in
        try await body(Bundlectl(store: folder.path(of: "store")), folder)
    }
}
