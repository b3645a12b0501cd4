import BundleTesting
import Foundation
import Testing

@testable import BundleStore

/// Several real `bundlectl` processes on one store. A working process is represented by its locks, which the test holds
/// for exactly as long as it wants.
struct ConcurrentProcessTests {
    private func lock(_ bundlectl: Bundlectl, _ bundle: String?, _ mode: FileLock.Mode) throws -> FileLock {
        let name = try bundle.map { try #require(BundleName($0)) }
        let layout = try BundleStore(at: bundlectl.store).layout
        return try #require(try FileLock(layout.lock(name), mode, waits: false))
    }

    /// Makes an archive of another bundle.
    private func news(_ publisher: Publisher, _ bundlectl: Bundlectl) async throws -> String {
        let manifest = #"{"name": "news", "version": "1.0.0", "origins": []}"#
        let folder = try publisher.directory.write(tree: ["bundle.json": manifest, "index.html": "news"], to: "news")
        let archive = publisher.directory.path(of: "news.zip")
        try await bundlectl.expect(0, "pack", folder, archive)
        return archive
    }

    @Test func `two installs of different bundles run at the same time`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let archive = try await news(publisher, bundlectl)
            let store = try lock(bundlectl, nil, .shared)
            let shop = try lock(bundlectl, "shop", .exclusive)
            let install = try await bundlectl("install", archive)
            #expect((install.exitCode, install.errorOutput) == (0, ""))
            try await bundlectl.expect(0, "activate", "news@1.0.0")
            withExtendedLifetime((store, shop)) {}
        }
    }

    @Test func `of two installs of one bundle the second is busy, or waits`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            var store: FileLock? = try lock(bundlectl, nil, .shared)
            var shop: FileLock? = try lock(bundlectl, "shop", .exclusive)
            #expect(store != nil && shop != nil)
            let busy = try await bundlectl("install", publisher.archive("1.1.0"))
            #expect(busy.exitCode == 75)
            #expect(busy.errorOutput.contains("--wait"))
            let arguments = ["install", publisher.archive("1.1.0"), "--wait"]
            try await withChildProcess(Bundlectl.path, arguments, environment: bundlectl.environment) { install in
                (store, shop) = (nil, nil)
                let result = try await install.wait()
                #expect(result.exitCode == 0, "\(result.errorOutput)")
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `an install that waits removes earlier versions once the store is free, as an update does`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            var store: FileLock? = try lock(bundlectl, nil, .shared)
            #expect(store != nil)
            let arguments = ["install", publisher.archive("1.1.0"), "--keep", "0", "--wait"]
            try await withChildProcess(Bundlectl.path, arguments, environment: bundlectl.environment) { install in
                // Only the removal still waits then.
                while try await !bundlectl("list").output.contains("1.1.0") {}
                store = nil
                let result = try await install.wait()
                #expect(result.exitCode == 0, "\(result.errorOutput)")
                #expect(result.output.contains("removed shop@1.0.0"), "\(result.output)")
            }
        }
    }

    @Test func `readers and a server aren't blocked by any lock`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, _ in
                let store = try lock(bundlectl, nil, .exclusive)
                let shop = try lock(bundlectl, "shop", .exclusive)
                for verb in [
                    ["list"], ["show", "shop"], ["resolve", "/shop/"], ["verify"], ["cache", "list"], ["quota"],
                    ["export", "shop", publisher.directory.path(of: "out")],
                ] {
                    let result = try await bundlectl.run(verb)
                    #expect(result.exitCode == 0, "\(verb): \(result.errorOutput)")
                }
                #expect(try await Curl.get("\(address)/shop/").status == 200)
                #expect(try await Curl.get("\(address)/shop/api/stock.json").status == 200)
                // Started while the store is being pruned.
                try await bundlectl.serving { address, _ in
                    let page = try await Curl.get("\(address)/shop/")
                    #expect(page.status == 200)
                }
                withExtendedLifetime((store, shop)) {}
            }
        }
    }

    @Test func `readers aren't blocked by another process's catalog transaction`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let store = try BundleStore(at: bundlectl.store)
            let (begun, finished) = (Latch(), DispatchSemaphore(value: 0))
            let transaction = Task.detached {
                try store.catalog.connection.change { _ in
                    begun.open()
                    finished.wait()
                }
            }
            try await begun.wait()
            for verb in [["list"], ["resolve", "/shop/"], ["verify"]] {
                let result = try await bundlectl.run(verb)
                #expect(result.exitCode == 0, "\(verb): \(result.errorOutput)")
            }
            finished.signal()
            try await transaction.value
        }
    }

    @Test func `a prune waits for no install, and an install for a prune`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            do {
                let install = try lock(bundlectl, nil, .shared)
                try await bundlectl.expect(75, "prune")
                withExtendedLifetime(install) {}
            }
            var prune: FileLock? = try lock(bundlectl, nil, .exclusive)
            #expect(prune != nil)
            let arguments = ["install", publisher.archive("1.1.0")]
            try await withChildProcess(Bundlectl.path, arguments, environment: bundlectl.environment) { install in
                prune = nil
                let result = try await install.wait()
                #expect(result.exitCode == 0, "\(result.errorOutput)")
            }
        }
    }

    @Test func `a server serves what another process prunes until it checks again, and then the new version`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            // Open like a response under way.
            let reader = try BundleStore(at: bundlectl.store)
            let release = try #require(reader.snapshot.sortedBundles.first?.active)
            try await bundlectl.serving { address, server in
                #expect(try await Curl.get("\(address)/shop/").status == 200)
                try await bundlectl.expect(0, "install", publisher.archive("1.1.0"), "--keep", "0")
                #expect(try await bundlectl.json("list")["bundles"]?.array?.first?["versions"]?.array?.count == 1)
                #expect(try TreeSnapshot(of: bundlectl.store + "/indexes").files.count == 1)
                #expect(try await Curl.get("\(address)/shop/").status == 200)
                _ = server
            }
            for asset in release.assets {
                let digest = try #require(asset.contents).withUnsafeBytes { Digest(of: $0) }
                #expect(digest == asset.digest)
            }
        }
    }
}
