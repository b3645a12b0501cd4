import BundleTesting
import Foundation
import Testing

/// Compaction seen from outside: the real verbs, and a server that has the store open.
struct CompactionTests {
    private func install(_ version: String, _ files: [String: String], _ site: CrashSite) async throws {
        try await site.bundlectl.expect(0, "install", site.archive(version, files))
    }

    @Test func `a server keeps serving while another process compacts its segments, and serves later installs`()
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
                // The server has checked the store again when it serves the new content.
                try await install("1.2.0", ["new.txt": "new"], site)
                var status = 0
                for _ in 0..<150 where status != 200 { status = try await Curl.get("\(address)/shop/new.txt").status }
                #expect(status == 200)
                #expect(try await Curl.get(script).body == before.body)
            }
            try await bundlectl.expect(0, "verify")
        }
    }

    @Test func `show --storage reports unused bytes until they are compacted`() async throws {
        try await withTemporaryDirectory { directory in
            let site = try CrashSite(directory)
            try await install("1.0.0", ["large.txt": String(repeating: "large ", count: 10_000)], site)
            try await install("1.1.0", [:], site)
            try await site.bundlectl.expect(0, "remove", "shop@1.0.0")
            let table = try await site.bundlectl.expect(0, "show", "--storage").output
            #expect(table.contains("unused     60 KB"))
            try await site.bundlectl.expect(0, "show", "--storage", "shop@1.1.0")
            try await site.bundlectl.expect(64, "show", "--storage", "other")
            try await site.bundlectl.expect(64, "show")
            let pruned = try await site.bundlectl.expect(0, "prune").output
            // Apart from the segment, which is reported once, only the index is removed.
            #expect(pruned.hasPrefix("deleted 1 file, "))
            #expect(pruned.hasSuffix(" freed\ncompacted 1 segment, 60 KB freed\n"))
            #expect(try await site.bundlectl.expect(0, "prune").output == "nothing to prune\n")
            #expect(try await site.bundlectl.expect(0, "show", "--storage").output.contains("unused     0 B"))
        }
    }

    @Test(.enabled("needs the right to mount") { await SmallFileSystem.isAvailable() })
    func `without space for the copy prune warns, and frees what it can`() async throws {
        try await withTemporaryDirectory { directory in
            let site = try CrashSite(directory)
            let live = String(repeating: "live ", count: 80_000)
            let first = try await site.archive(
                "1.0.0",
                ["dead.txt": String(repeating: "dead", count: 150_000), "live.txt": live]
            )
            let second = try await site.archive("1.1.0", ["live.txt": live])
            try await withSmallFileSystem(byteCount: 4 << 20) { disk in
                let bundlectl = Bundlectl(store: disk.directory.path(of: "store"))
                try await bundlectl.expect(0, "install", first)
                try await bundlectl.expect(0, "install", second)
                try await bundlectl.expect(0, "remove", "shop@1.0.0")
                try disk.fill()
                let pruned = try await bundlectl.expect(0, "prune")
                #expect(pruned.errorOutput.contains("not compacted"))
                #expect(pruned.output.contains("deleted 1 file"))
                try await bundlectl.expect(0, "verify")
                for name in try FileManager.default.contentsOfDirectory(atPath: disk.directory.path)
                where name.hasPrefix("filling") {
                    try FileManager.default.removeItem(atPath: disk.directory.path(of: name))
                }
                let again = try await bundlectl.expect(0, "prune")
                // Aligned, so that the long contents begin on pages.
                #expect(again.output.contains("compacted 1 segment, 602 KB freed"))
                #expect(again.errorOutput == "")
                try await bundlectl.expect(0, "verify")
            }
        }
    }
}
