import BundleStore
import BundleTesting
import Foundation
import Testing

/// `--dry-run`: says what the verb would do, and writes nothing.
struct DryRunTests {
    @Test func `says what would happen, and leaves the store byte for byte as it is`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.1.0", with: bundlectl)
            let rows = [
                (["remove", "shop"], "  removed shop@1.0.0"), (["prune", "--keep", "0"], "  nothing to prune"),
                (["install", publisher.archive("1.1.0")], "  installed shop@1.1.0 "),
                (["install", publisher.archive("1.0.0")], "  shop@1.0.0 is installed already"),
                (["update"], "  updated shop: 1.0.0 to 1.1.0 ("),
            ]
            let before = try Self.state(of: bundlectl.store)
            for (arguments, text) in rows {
                let result = try await bundlectl.run(arguments + ["--dry-run"])
                #expect(result.exitCode == 0, "\(result.errorOutput)")
                let heading = "dry run, nothing was changed; without --dry-run the report would be:\n"
                #expect(result.output.hasPrefix(heading))
                #expect(result.output.contains(text), "\(result.output)")
                #expect(try Self.state(of: bundlectl.store) == before, "\(arguments)")
            }
            #expect(!publisher.requestedPaths.contains { $0.hasSuffix(".zip") })
        }
    }

    @Test func `says in the same words what the verb then does`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let verbs = [
                ["install", publisher.archive("1.1.0"), "--no-precache"], ["remove", "shop@1.0.0"],
                ["install", publisher.archive("1.0.0"), "--no-precache"], ["prune", "--keep", "0"],
            ]
            for verb in verbs {
                let announced = try await bundlectl.run(verb + ["--dry-run"]).output.split(separator: "\n").dropFirst()
                let done = try await bundlectl.run(verb).output.split(separator: "\n")
                #expect(!done.isEmpty)
                #expect(announced.map { String($0.dropFirst(2)) } == done.map(String.init))
            }
        }
    }

    @Test func `fails as the verb would, and names the store itself`() async throws {
        try await withPublisher { publisher, bundlectl in
            for arguments in [["remove", "shop"], ["prune"], ["update"]] {
                let result = try await bundlectl.run(arguments + ["--dry-run"])
                #expect(result.exitCode == 73)
                #expect(result.errorOutput.contains(bundlectl.store))
            }
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"), "--dry-run")
            #expect(!FileManager.default.fileExists(atPath: bundlectl.store))
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let before = try Self.state(of: bundlectl.store)
            let active = try await bundlectl.expect(64, "remove", "shop@9.9.9", "--dry-run")
            #expect(!active.errorOutput.contains("offline-bundles-"))
            try await bundlectl.expect(66, "install", "/nonexistent.zip", "--dry-run")
            #expect(try Self.state(of: bundlectl.store) == before)
            let document = try await bundlectl.json("prune", "--dry-run")
            #expect(document["isDryRun"] != nil)
            #expect(try await bundlectl.json("prune")["isDryRun"] == nil)
        }
    }

    /// The contents of all files but the memory that SQLite's readers share, and when the catalog was last written.
    private static func state(of store: String) throws -> [String] {
        let files = try TreeSnapshot(of: store).files.filter { !$0.key.hasSuffix("-shm") }
        let times = try ["", "-wal"].map { suffix in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(store)/catalog.sqlite\(suffix)")
            return "\(suffix) \(attributes[.modificationDate] ?? "")"
        }
        return files.map { "\($0.key) \($0.value.hex)" }.sorted() + times
    }
}
