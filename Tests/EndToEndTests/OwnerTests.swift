import BundleTesting
import Foundation
import Testing

/// `sudo bundlectl …` in the store of a service that has a user of its own.
@Suite(.enabled(if: geteuid() == 0, "only root writes for another user"))
struct OwnerTests {
    private static let service: (user: uid_t, group: gid_t) = (65_534, 65_533)

    @Test(arguments: ["022", "027", "077"])
    func `what root writes into a service's store is the service's`(umask: String) async throws {
        try await withPublisher { publisher, bundlectl in
            try Self.makeStore(bundlectl.store)
            try await publisher.publish("1.1.0", with: bundlectl)
            for words in [["install", publisher.archive("1.0.0")], ["update"], ["rollback", "shop"], ["prune"]] {
                let run = try await Self.run(["/bin/sh", "-c", "umask \(umask); exec \"$@\"", "sh"], words, bundlectl)
                #expect(run.exitCode == 0, "\(run.errorOutput)")
                for (path, status) in try Self.files(in: bundlectl.store) {
                    #expect(status.st_uid == Self.service.user && status.st_gid == Self.service.group, "\(path)")
                    #expect(status.st_mode & 0o400 != 0, "\(path)")
                }
            }
            for (path, status) in try Self.files(in: bundlectl.store) where path.hasSuffix(".index") {
                #expect(status.st_mode & 0o777 == 0o640)
            }
        }
    }

    @Test func `root's own store stays root's`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            #expect(try Self.files(in: bundlectl.store).allSatisfy { $0.status.st_uid == 0 })
        }
    }

    @Test func `a file that the service can't read takes its own bundle along, and each command says what to do`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let others = Set(try Self.files(in: bundlectl.store).map(\.path))
            let docs = try publisher.directory.write(tree: ["index.html": "docs"], to: "docs")
            try await bundlectl.expect(0, "install", docs, "--name", "docs", "--version", "1.0.0")
            for (path, _) in try Self.files(in: bundlectl.store)
            where path.hasSuffix(".index") && !others.contains(path) {
                try Self.makeForeign("\(bundlectl.store)/\(path)")
            }
            let remedy = "sudo chown -R 0 \(bundlectl.store)"

            let list = try await Self.runAsService(["list"], bundlectl)
            #expect(list.exitCode == 0 && list.output.contains("shop") && list.errorOutput.contains(remedy))
            let resolved = try await Self.runAsService(["resolve", "https://m.example.com/shop/"], bundlectl)
            #expect(resolved.exitCode == 0, "\(resolved.errorOutput)")
            #expect(try await Self.runAsService(["doctor", "--offline"], bundlectl).output.contains(remedy))

            try Self.makeForeign("\(bundlectl.store)/catalog.sqlite")
            let refused = try await Self.runAsService(["list"], bundlectl)
            #expect(refused.exitCode == 73 && refused.errorOutput.contains(remedy))
        }
    }

    @Test func `a segment that may not be read is one line, and no content to repair`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            for (path, _) in try Self.files(in: bundlectl.store) where path.hasSuffix(".segment") {
                try Self.makeForeign("\(bundlectl.store)/\(path)")
            }
            for words in [["verify"], ["verify", "--repair"]] {
                let run = try await Self.runAsService(words, bundlectl)
                #expect(run.exitCode == 65)
                let lines = (run.output + run.errorOutput).split(separator: "\n").filter { $0.contains("shop@1.0.0") }
                #expect(lines.count == 1 && lines[0].contains("sudo chown -R 0 \(bundlectl.store)"), "\(lines)")
            }
        }
    }

    @Test func `a user who may not read the owner's files is told so, and of no damage to repair`() async throws {
        try await withPublisher { publisher, bundlectl in
            try Self.makeStore(bundlectl.store)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            #expect(chmod(bundlectl.store, 0o755) == 0)
            for (path, status) in try Self.files(in: bundlectl.store) {
                let mode: mode_t = status.st_mode & S_IFMT == S_IFDIR ? 0o755 : path.hasSuffix(".index") ? 0o600 : 0o644
                #expect(chmod("\(bundlectl.store)/\(path)", mode) == 0)
            }
            let list = try await Self.runAsService(["list"], bundlectl)
            #expect(list.errorOutput.contains("give this user the right to read it, or run as its owner"))
            #expect(!list.errorOutput.contains("--repair"), "\(list.errorOutput)")
        }
    }

    @Test func `root publishes into another user's folder as that user, and web servers may read it`() async throws {
        try await withPublisher { publisher, bundlectl in
            let folder = publisher.directory.path(of: "web")
            try Self.makeStore(folder)
            for version in ["1.0.0", "1.1.0"] {
                let words = ["publish", publisher.archive(version), "--to", folder]
                let run = try await Self.run(["/bin/sh", "-c", "umask 022; exec \"$@\"", "sh"], words, bundlectl)
                #expect(run.exitCode == 0, "\(run.errorOutput)")
            }
            for (path, status) in try Self.files(in: folder) {
                #expect(status.st_uid == Self.service.user && status.st_mode & 0o777 == 0o644, "\(path)")
            }
        }
    }

    @Test func `a user without any privilege installs and updates over the network`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await publisher.publish("1.0.0", with: bundlectl)
            let feed = "\(publisher.origin)/releases/feed.json"
            let install = try await Self.runAsService(["install", feed], bundlectl)
            #expect(install.exitCode == 0, "\(install.errorOutput)")
            try await publisher.publish("1.1.0", with: bundlectl)
            let update = try await Self.runAsService(["update"], bundlectl)
            #expect(update.output.contains("updated shop: 1.0.0 to 1.1.0"), "\(update.errorOutput)")
        }
    }

    private static func makeStore(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(chown(path, service.user, service.group) == 0)
        #expect(chmod(path, 0o750) == 0)
    }

    private static func makeForeign(_ path: String) throws {
        #expect(chown(path, service.user, service.group) == 0)
        #expect(chmod(path, 0o600) == 0)
    }

    /// As a user without privileges, who has the folders of this test: root without any capability.
    private static func runAsService(_ words: [String], _ bundlectl: Bundlectl) async throws -> ProcessResult {
        try await run(["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"], words, bundlectl)
    }

    private static func run(_ prefix: [String], _ words: [String], _ bundlectl: Bundlectl) async throws -> ProcessResult
    {
        let command = prefix + [Bundlectl.path] + words
        return try await ChildProcess.run("/usr/bin/env", command, environment: bundlectl.environment)
    }

    private static func files(in store: String) throws -> [(path: String, status: stat)] {
        let paths = FileManager.default.enumerator(atPath: store)?.compactMap { $0 as? String } ?? []
        #expect(paths.count > 5)
        return try paths.map { path in
            var status = stat()
            guard lstat("\(store)/\(path)", &status) == 0 else { throw CocoaError(.fileNoSuchFile) }
            return (path, status)
        }
    }
}
