import BundleStore
import BundleTesting
import Testing

@testable import bundlectl

struct PruneSummaryTests {
    @Test("tells what was freed, and each byte once")
    func lines() async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path, creating: true)
            let large = String(repeating: "large ", count: 20_000)
            let first = try BundleManifest.sample("shop", "1.0.0")
            let second = try BundleManifest.sample("shop", "2.0.0")
            try store.install(first, files: ["large.txt": large, "shared.js": "shared"])
            try store.install(second, files: ["shared.js": "shared"])
            func byteCount() throws -> Int64 {
                try ["segments", "indexes"].flatMap { folder in
                    try directory.snapshot(of: folder).files.keys.map { try directory.read("\(folder)/\($0)").count }
                }
                .reduce(0) { $0 + Int64($1) }
            }
            let before = try byteCount()
            let summary = PruneSummary(try store.prune(keeping: 0))
            #expect(summary.lines.count == 3)
            #expect(summary.lines[0] == "removed shop@1.0.0")
            #expect(summary.lines[1].hasPrefix("deleted 1 file, "))
            #expect(summary.lines[2] == "compacted 1 segment, 120 KB freed")
            let freed = try before - byteCount()
            #expect(summary.byteCount + summary.compaction.byteCount == freed)
            #expect(PruneSummary(try store.prune(keeping: 0)).lines == ["nothing to prune"])
        }
    }
}
