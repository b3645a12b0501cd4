import BundleStore
import BundleTesting
import Foundation
import Testing

/// The real `bundlectl` on a disk without a free byte, and on a read-only one.
@Suite(.enabled("needs the right to mount") { await SmallFileSystem.isAvailable() })
struct FullDiskTests {
    private static let byteCount = 8 << 20

    /// The verbs that only read, and their exit statuses.
    private static let readers: [(arguments: [String], status: Int32)] = [
        (["list"], 0), (["show", "shop", "--files"], 0), (["resolve", "/shop/"], 0), (["verify"], 0), (["quota"], 0),
        (["cache", "list"], 0), (["check"], 0), (["stats"], 0),
    ]

    /// Passes on a store with two versions on a small file system, and a third one as an archive elsewhere.
    private func withStore(_ body: (SmallFileSystem, Bundlectl, Publisher) async throws -> Void) async throws {
        try await withPublisher { publisher, _ in
            try await withSmallFileSystem(byteCount: Self.byteCount) { disk in
                let bundlectl = Bundlectl(store: disk.directory.path(of: "store"))
                try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
                try await bundlectl.expect(0, "install", publisher.archive("1.1.0"))
                try await publisher.publish("1.1.0", with: bundlectl)
                try await body(disk, bundlectl, publisher)
            }
        }
    }

    private func expectReadable(_ bundlectl: Bundlectl, _ publisher: Publisher) async throws {
        for reader in Self.readers {
            let result = try await bundlectl.run(reader.arguments)
            #expect(result.exitCode == reader.status, "\(reader.arguments): \(result.errorOutput)")
        }
        try await bundlectl.expect(0, "export", "shop", publisher.directory.path(of: "out"))
        try await bundlectl.serving { address, _ in
            let page = try await Curl.get("\(address)/shop/")
            #expect(page.status == 200)
            // A response that can't be stored is passed on all the same.
            let fetched = try await Curl.get("\(address)/shop/api/stock.json")
            #expect(fetched.status == 200)
        }
    }

    private func expectRefusal(_ arguments: [String], _ reason: String, _ bundlectl: Bundlectl) async throws {
        let result = try await bundlectl.run(arguments)
        #expect(result.exitCode == 73)
        #expect(result.errorOutput.split(separator: "\n").count == 1)
        #expect(result.errorOutput.contains(reason), "\(result.errorOutput)")
    }

    @Test func `on a full disk everything can be read, and what frees space works`() async throws {
        try await withStore { disk, bundlectl, publisher in
            try disk.fill()
            try await expectReadable(bundlectl, publisher)
            for verb in [
                ["rollback", "shop"], ["activate", "shop@1.1.0"], ["pin", "shop@1.0.0"], ["unpin", "shop@1.0.0"],
                ["quota", "1GB"], ["cache", "clear"], ["remove", "shop@1.0.0"],
            ] {
                try disk.fill()
                let result = try await bundlectl.run(verb)
                #expect(result.exitCode == 0, "\(verb): \(result.errorOutput)")
            }
            try disk.fill()
            let prune = try await bundlectl.json("prune")
            #expect((prune["fileCount"]?.integer ?? 0) > 0)
            try await bundlectl.expect(0, "verify")
        }
    }

    @Test func `an install on a full disk says so, leaves nothing, and succeeds when there is space`() async throws {
        try await withStore { disk, bundlectl, publisher in
            try await bundlectl.expect(0, "remove", "shop")
            try await bundlectl.expect(0, "prune")
            try disk.fill()
            let before = try TreeSnapshot(of: bundlectl.store).files.filter { !$0.key.hasPrefix("catalog") }
            try await expectRefusal(
                ["install", publisher.archive("1.1.0")],
                "the disk is full; free some space",
                bundlectl
            )
            let after = try TreeSnapshot(of: bundlectl.store).files.filter { !$0.key.hasPrefix("catalog") }
            #expect(Set(after.keys) == Set(before.keys))
            for name in try FileManager.default.contentsOfDirectory(atPath: disk.directory.path)
            where name.hasPrefix("filling") {
                try FileManager.default.removeItem(atPath: disk.directory.path(of: name))
            }
            try await bundlectl.expect(0, "install", publisher.archive("1.1.0"))
            try await bundlectl.expect(0, "verify")
        }
    }

    @Test func `publishing with a full temporary folder says which one that is, and nothing of pruning`() async throws {
        try await withStore { disk, bundlectl, publisher in
            try disk.fill()
            var environment = bundlectl.environment
            environment["TMPDIR"] = disk.directory.path
            let result = try await ChildProcess.run(
                Bundlectl.path,
                ["publish", publisher.archive("1.1.0"), "--to", publisher.directory.path(of: "other")],
                environment: environment
            )
            #expect(result.exitCode == 73)
            let advice = "free some space in \(disk.directory.path), or name another folder with TMPDIR"
            #expect(result.errorOutput.contains(advice), "\(result.errorOutput)")
            #expect(!result.errorOutput.contains("prune"))
        }
    }

    @Test func `on a read-only disk everything can be read, and verbs that write say why they can't`() async throws {
        try await withStore { disk, bundlectl, publisher in
            try disk.makeReadOnly()
            try await expectReadable(bundlectl, publisher)
            for verb in [
                ["install", publisher.archive("1.0.0"), "--force"], ["rollback", "shop"], ["remove", "shop@1.0.0"],
                ["prune"], ["pin", "shop@1.0.0"], ["quota", "1GB"],
            ] {
                try await expectRefusal(verb, "read-only", bundlectl)
            }
        }
    }

    @Test func `on a read-only disk a signed feed is checked, and not installed from`() async throws {
        try await withStore { disk, bundlectl, publisher in
            let (keys, folder) = (publisher.directory.path(of: "keys"), publisher.directory.path(of: "signed"))
            try await bundlectl.expect(0, "keys", "init", "--in", keys)
            let archive = publisher.archive("1.1.0")
            try await bundlectl.expect(0, "publish", archive, "--to", folder, "--keys", keys)
            try await bundlectl.expect(0, "install", folder)
            try await bundlectl.expect(0, "publish", archive, "--to", folder, "--keys", keys, "--rollout", "50%")
            let news = try await bundlectl.json("trust", "show", "shop")
            try disk.makeReadOnly()
            try await bundlectl.expect(0, "check")
            #expect(try await bundlectl.json("trust", "show", "shop")["roles"] == news["roles"])
            #expect(try await bundlectl.run(["update"]).exitCode == 73)
        }
    }

    @Test func `a store that lacks only the shared memory can be read on such a disk when its log is empty`()
        async throws
    {
        try await withStore { disk, bundlectl, publisher in
            try FileManager.default.removeItem(atPath: bundlectl.store + "/catalog.sqlite-shm")
            try disk.makeReadOnly()
            try await expectReadable(bundlectl, publisher)
        }
    }

    @Test func `a copy whose log isn't empty needs the shared memory on such a disk, and says so`() async throws {
        try await withStore { disk, bundlectl, _ in
            let copy = Bundlectl(store: disk.directory.path(of: "copy"))
            do {
                let store = try BundleStore(at: bundlectl.store)
                try store.recordCheck(of: BundleName("shop"), failure: nil)
                try FileManager.default.copyItem(atPath: bundlectl.store, toPath: copy.store)
                withExtendedLifetime(store) {}
            }
            try FileManager.default.removeItem(atPath: copy.store + "/catalog.sqlite-shm")
            try disk.makeReadOnly()
            try await expectRefusal(["list"], "catalog.sqlite-shm is missing and can't be made", copy)
        }
    }

    @Test func `a store without its log, such as a copy, can be read on such a disk too`() async throws {
        try await withStore { disk, bundlectl, _ in
            for suffix in ["-wal", "-shm"] {
                try FileManager.default.removeItem(atPath: bundlectl.store + "/catalog.sqlite" + suffix)
            }
            try disk.makeReadOnly()
            for reader in Self.readers {
                let result = try await bundlectl.run(reader.arguments)
                #expect(result.exitCode == reader.status, "\(reader.arguments): \(result.errorOutput)")
            }
        }
    }
}
