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
            try FileManager.default.createDirectory(atPath: bundlectl.store, withIntermediateDirectories: true)
            #expect(chown(bundlectl.store, Self.service.user, Self.service.group) == 0)
            #expect(chmod(bundlectl.store, 0o750) == 0)
            try await publisher.publish("1.1.0", with: bundlectl)
            for words in [
                ["install", publisher.archive("1.0.0")], ["update"], ["rollback", "shop"], ["prune"],
            ] {
                let command = "umask \(umask); exec \"$@\""
                let run = try await ChildProcess.run(
                    "/bin/sh",
                    ["-c", command, "sh", Bundlectl.path] + words,
                    environment: bundlectl.environment
                )
                #expect(run.exitCode == 0, "\(run.errorOutput)")
                #expect(try Self.foreign(in: bundlectl.store) == [])
            }
            #expect(try Self.mode(of: bundlectl.store + "/catalog.sqlite") == 0o640)
        }
    }

    @Test func `root's own store stays root's`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            #expect(try Self.status(of: bundlectl.store + "/catalog.sqlite").st_uid == 0)
        }
    }

    /// The files and folders that the service can't use.
    private static func foreign(in store: String) throws -> [String] {
        let paths = FileManager.default.enumerator(atPath: store)?.compactMap { $0 as? String } ?? []
        #expect(paths.count > 5)
        return try paths.filter { path in
            let status = try status(of: "\(store)/\(path)")
            return status.st_uid != service.user || status.st_gid != service.group || status.st_mode & 0o400 == 0
        }
    }

    private static func mode(of path: String) throws -> mode_t { try status(of: path).st_mode & 0o777 }

    private static func status(of path: String) throws -> stat {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw CocoaError(.fileNoSuchFile) }
        return status
    }
}
