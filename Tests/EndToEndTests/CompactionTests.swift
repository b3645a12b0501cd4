import BundleTesting
import Foundation
import Testing

/// Compaction as others see it: the real verbs, and a server that has the store open.
struct CompactionTests {
    private func install(_ version: String, _ files: [String: String], _ site: CrashSite) async throws {
        try await site.bundlectl.expect(0, "install", site.archive(version, files))
    }

    @Test func `a server goes on while another process compacts what it serves from, and takes what comes after`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let site = try CrashSite(directory)
            let bundlectl = site.bundlectl
            try await install("1.0.0", ["large.txt": String(repeating: "large ", count: 20_000)], site)
            try await install("1.1.0", [:], site)
            try await bundlectl.serving { address, _ in
                let script = "\(address)/shop/shared.js"
                let before = try await Curl.get(script)
                #expect(before.status == 200)
                let report = try await bundlectl.json("prune", "--keep", "0")
                #expect(report["compaction"]?["segmentCount"] == .number(1))
                for _ in 0..<5 { #expect(try await Curl.get(script).body == before.body) }
                // The server has looked at the store again when it answers with what is new.
                try await install("1.2.0", ["new.txt": "new"], site)
                var status = 0
                for _ in 0..<150 where status != 200 { status = try await Curl.get("\(address)/shop/new.txt").status }
                #expect(status == 200)
                #expect(try await Curl.get(script).body == before.body)
            }
            try await bundlectl.expect(0, "verify")
        }
    }

    @Test func `show --storage tells what is dead until it is compacted`() async throws {
        try await withTemporaryDirectory { directory in
            let site = try CrashSite(directory)
            try await install("1.0.0", ["large.txt": String(repeating: "large ", count: 20_000)], site)
            try await install("1.1.0", [:], site)
            try await site.bundlectl.expect(0, "remove", "shop@1.0.0")
            let table = try await site.bundlectl.expect(0, "show", "--storage").output
            #expect(table.contains("unused     120 KB"))
            try await site.bundlectl.expect(0, "show", "--storage", "shop@1.1.0")
            try await site.bundlectl.expect(64, "show", "--storage", "other")
            try await site.bundlectl.expect(64, "show")
            let pruned = try await site.bundlectl.expect(0, "prune").output
            #expect(pruned.contains("compacted 1 segment, 120 KB freed"))
            #expect(try await site.bundlectl.expect(0, "show", "--storage").output.contains("unused     0 B"))
        }
    }

    @Test(.enabled("a small file system can't be mounted; that needs root on Linux", { await FullDisk.isPossible() }))
    func `without room for the copy prune warns, and frees what it can`() async throws {
        try await withTemporaryDirectory { directory in
            let site = try CrashSite(directory)
            var random = SeededGenerator(seed: 5)
            let noise = [600_000, 400_000].map { count in
                String((0..<count).map { _ in Character(Unicode.Scalar(UInt8.random(in: 32..<127, using: &random))) })
            }
            try await install("1.0.0", ["dead.txt": noise[0], "live.txt": noise[1]], site)
            try await install("1.1.0", ["live.txt": noise[1]], site)
            try await site.bundlectl.expect(0, "remove", "shop@1.0.0")
            try await FullDisk.with(site.bundlectl.store, at: directory.path(of: "disk")) { disk in
                let bundlectl = Bundlectl(store: disk.store)
                let pruned = try await bundlectl.expect(0, "prune")
                #expect(pruned.errorOutput.contains("not compacted"))
                #expect(pruned.output.contains("deleted 1 file"))
                #expect(try disk.names(in: "incoming") == [])
                try await bundlectl.expect(0, "verify")
                try disk.free()
                #expect(try await bundlectl.expect(0, "prune").output.contains("compacted 1 segment, 60"))
                try await bundlectl.expect(0, "verify")
            }
        }
    }
}
