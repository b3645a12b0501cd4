import BundleTesting
import Foundation
import Testing

/// A disk that becomes full while something is written, rather than before; see FullDiskTests for that.
@Suite(.enabled("needs the right to mount") { await SmallFileSystem.isAvailable() })
struct FillingDiskTests {
    @Test func `an install that doesn't fit says so in one line, and changes nothing`() async throws {
        try await withTemporaryDirectory { directory in
            let site = try CrashSite(directory)
            let archive = try await site.archive("1.1.0", ["large.txt": Self.noise(byteCount: 6 << 20)])
            let small = try await site.archive("1.0.0")
            try await withSmallFileSystem(byteCount: 4 << 20) { disk in
                let bundlectl = Bundlectl(store: disk.directory.path(of: "store"))
                try await bundlectl.expect(0, "install", small)
                let before = try StoreState(ofStoreIn: bundlectl.store)
                let inventory = try StoreInventory(pruning: bundlectl.store)

                let result = try await bundlectl("install", archive)
                #expect((result.exitCode, result.output) == (73, ""))
                #expect(result.errorOutput.split(separator: "\n").count == 1, "\(result.errorOutput)")
                #expect(result.errorOutput.contains("full"), "\(result.errorOutput)")
                #expect(try StoreState(ofStoreIn: bundlectl.store).differences(from: before) == [])
                #expect(try StoreInventory(pruning: bundlectl.store).differences(from: inventory) == [])
                try await bundlectl.expect(0, "install", site.archive("1.2.0"))
            }
        }
    }

    @Test func `on a disk with space for one version, removing the other makes space for the next one`() async throws {
        try await withTemporaryDirectory { directory in
            let site = try CrashSite(directory)
            let first = try await site.archive("1.0.0", ["large.txt": Self.noise(byteCount: 4 << 20, seed: 1)])
            let second = try await site.archive("2.0.0", ["large.txt": Self.noise(byteCount: 4 << 20, seed: 2)])
            try await withSmallFileSystem(byteCount: 8 << 20) { disk in
                let bundlectl = Bundlectl(store: disk.directory.path(of: "store"))
                try await bundlectl.expect(0, "install", first)
                try await bundlectl.expect(73, "install", second)
                try await bundlectl.expect(0, "verify")
                try await bundlectl.expect(0, "remove", "shop")
                try await bundlectl.expect(0, "prune")
                try await bundlectl.expect(0, "install", second)
                try await bundlectl.expect(0, "verify")
            }
        }
    }

    /// Text that compresses badly, the same in every run.
    private static func noise(byteCount: Int, seed: UInt64 = 0) -> String {
        var generator = SeededGenerator(seed: seed)
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/".utf8)
        return String(
            decoding: (0..<byteCount).map { _ in letters[Int(generator.next() % UInt64(letters.count))] },
            as: UTF8.self
        )
    }
}
