import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Compaction")
struct CompactionTests {
    private static let page = String(repeating: "a page of some length ", count: 100)

    /// Installs a version with a large file, and one without; both share a small file. The first segment is mostly dead
    /// after the first version is removed.
    private func installBoth(_ store: BundleStore) throws {
        try store.install("1.0.0", ["large.txt": Self.page, "shared.js": "shared"])
        try store.install("2.0.0", ["index.html": "two", "shared.js": "shared"])
    }

    private func segmentByteCount(_ directory: TemporaryDirectory) throws -> Int {
        try directory.names(in: "segments").reduce(0) { try $0 + directory.read("store/segments/\($1)").count }
    }

    @Test("copies the live contents of a mostly dead segment, and deletes the segment")
    func mostlyDead() async throws {
        try await withStore { store, directory in
            try installBoth(store)
            let before = try segmentByteCount(directory)
            let index = try directory.read(directory.index(of: "1.0.0")).count
            let report = try store.prune(keeping: 0)
            let after = try segmentByteCount(directory)
            // The replaced files are reported as compacted, and not also as deleted.
            #expect((report.fileCount, report.byteCount) == (1, Int64(index)))
            #expect(report.compaction.segmentCount == 1)
            #expect(report.compaction.byteCount == Int64(before - after))
            #expect(report.compaction.warnings == [])
            #expect(after == 2 * SegmentFormat.headerByteCount + "twoshared".utf8.count)
            #expect(try directory.names(in: "indexes").count == 1)
            #expect(try directory.names(in: "incoming") == [])
            #expect(try store.release("2.0.0").texts == ["index.html": "two", "shared.js": "shared"])
            #expect(try directory.openStore().verify() == [])
            #expect(try store.prune(keeping: 0).fileCount == 0)
        }
    }

    @Test("long contents begin on page boundaries at their new locations")
    func pages() async throws {
        try await withStore { store, directory in
            let long = String(repeating: "a long text ", count: 10_000)
            try store.install("1.0.0", ["dead": String(repeating: long, count: 3), "long": long, "short": "short"])
            try store.install("2.0.0", ["long": long, "short": "short"])
            let before = try segmentByteCount(directory)
            let compaction = try store.prune(keeping: 0).compaction
            #expect(compaction.byteCount == Int64(before - (try segmentByteCount(directory))))
            let entry = try #require(store.release("2.0.0").index.find(digest: Digest(of: Array(long.utf8))))
            #expect(entry.offset.isMultiple(of: 4_096))
            #expect(try store.release("2.0.0").texts == ["long": long, "short": "short"])
            #expect(try directory.openStore().verify() == [])
        }
    }

    @Test("keeps a segment that is exactly half dead", arguments: [(6, false), (5, false), (7, true)])
    func half(_ deadByteCount: Int, _ isCompacted: Bool) async throws {
        try await withStore { store, _ in
            try store.install("1.0.0", ["dead": String(repeating: "x", count: deadByteCount), "shared": "shared"])
            try store.install("2.0.0", ["shared": "shared"])
            #expect(try store.prune(keeping: 0).compaction.segmentCount == (isCompacted ? 1 : 0))
        }
    }

    @Test("changes only the locations of a release's contents")
    func unchanged() async throws {
        try await withStore { store, directory in
            try installBoth(store)
            try store.install("3.0.0", ["index.html": "three", "shared.js": "shared"], activating: false)
            try store.setPinned(true, name("shop"), version("3.0.0"))
            try store.install("1.0.0", ["shared.js": "shared"], of: "news")
            try store.remove(name("shop"), version("1.0.0"))
            func state() -> [[String]] {
                store.snapshot.sortedBundles.flatMap(\.releases).map { release in
                    let facts = "\(release.name) \(release.version) \(release.state) \(release.isPinned) "
                    let files = release.assets.map { "\($0.path) \($0.digest) \($0.mediaType) \($0.byteCount)" }
                    let record = release.record
                    let dates = "\(release.installedAt) \(String(describing: release.activatedAt)) \(record.byteCount)"
                    return [facts + dates + " \(record.contentDigest) \(record.fileCount)"] + files
                }
            }
            let before = state()
            let generation = store.snapshot.generation
            #expect(try store.prune().compaction.segmentCount == 1)
            #expect(state() == before)
            #expect(store.snapshot.generation > generation)
            #expect(try directory.openStore().verify() == [])
        }
    }

    @Test("copies all live contents to one segment")
    func several() async throws {
        try await withStore { store, directory in
            for number in 1...4 {
                try store.install(
                    "\(number)",
                    ["large-\(number)": Self.page + "\(number)", "small-\(number)": "\(number)"]
                )
            }
            let small = Dictionary(uniqueKeysWithValues: (1...4).map { ("small-\($0)", "\($0)") })
            try store.install("5", small)
            #expect(try store.prune(keeping: 0).compaction.segmentCount == 4)
            #expect(try directory.names(in: "segments").count == 1)
            #expect(try store.release("5").texts == small.mapValues { $0 })
        }
    }

    @Test("a snapshot from before stays readable, here and in another process")
    func readers() async throws {
        try await withStore { store, directory in
            try installBoth(store)
            let other = try directory.openStore()
            let (held, seen) = (store.snapshot, other.snapshot)
            #expect(try store.prune(keeping: 0).compaction.segmentCount == 1)
            for snapshot in [held, seen] {
                for release in snapshot.releases {
                    let isFirst = release.version.string == "1.0.0"
                    let files = isFirst ? ["large.txt": Self.page] : ["index.html": "two"]
                    #expect(release.texts == files.merging(["shared.js": "shared"]) { $1 }.mapValues { $0 })
                }
            }
            #expect(try other.refresh())
            #expect(try other.release("2.0.0").texts == ["index.html": "two", "shared.js": "shared"])
        }
    }

    @Test("keeps a segment with damaged contents unchanged, reports it, and compacts the others")
    func damaged() async throws {
        try await withStore { store, directory in
            try installBoth(store)
            try store.install("1.0.0", ["large.txt": Self.page + "news", "kept.js": "kept"], of: "news")
            try store.install("2.0.0", ["kept.js": "kept"], of: "news")
            let segment = try directory.storeFile(in: "segments", holding: "shared")
            try directory.damage("shared")
            let pruning = try directory.openStore()
            let report = try pruning.prune(keeping: 0)
            #expect(report.compaction.segmentCount == 1)
            #expect(report.compaction.warnings.count == 1)
            #expect(report.compaction.warnings.first?.remedy == .repair(.content))
            #expect(FileManager.default.fileExists(atPath: directory.path(of: segment)))
            #expect(try pruning.release("2.0.0", of: "news").texts == ["kept.js": "kept"])
            #expect(try pruning.verify().map(\.path) == ["shared.js"])
        }
    }

    @Test("keeps the segments of a release whose index is damaged or missing", arguments: 0..<3)
    func damagedIndex(_ kind: Int) async throws {
        try await withStore { store, directory in
            try installBoth(store)
            try store.remove(name("shop"), version("1.0.0"))
            let index = try directory.index(of: "2.0.0")
            switch kind {
            case 0: try directory.remove(index)
            case 1: try directory.change(index) { $0.removeLast() }
            default: try directory.change(index) { $0[$0.count - 1] ^= 1 }
            }
            let segments = try directory.names(in: "segments")
            for pruning in [try directory.openStore(), store] {
                #expect(try pruning.prune(keeping: 0).compaction.segmentCount == 0)
                #expect(try directory.names(in: "segments") == segments)
            }
        }
    }

    @Test("keeps every release unchanged and frees what is dead, for any store", arguments: 0..<6 as Range<UInt64>)
    func random(_ seed: UInt64) async throws {
        try await withStore { store, directory in
            var random = SeededGenerator(seed: seed)
            for number in 0..<24 {
                try store.installRandomRelease(number, using: &random)
                guard number % 6 == 5 else { continue }
                _ = try? store.remove(name("bundle-0"), version("\(Int.random(in: 0...number, using: &random))"))
                let kept = Int.random(in: 0...2, using: &random)
                let before = Dictionary(
                    uniqueKeysWithValues: store.snapshot.releases.map { ("\($0.name)@\($0.version)", $0.texts) }
                )
                _ = try store.prune(keeping: kept)
                for release in store.snapshot.releases {
                    #expect(release.texts == before["\(release.name)@\(release.version)"])
                }
                #expect(try directory.openStore().verify() == [])
                let report = try store.storageReport()
                #expect(report.deadByteCount * 2 <= report.contentByteCount)
                #expect(try store.prune(keeping: kept).fileCount == 0)
            }
        }
    }
}
