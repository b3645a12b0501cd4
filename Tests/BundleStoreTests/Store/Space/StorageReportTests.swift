import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("The storage report")
struct StorageReportTests {
    @Test("contents of one version are its own, those of several are shared, those of none are dead")
    func kinds() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["a": "one", "b": "shared", "c": "shared"])
            try store.install("2.0.0", ["a": "three", "b": "shared"])
            try store.install("1.0.0", ["x": "shared", "y": "long enough"], of: "news")
            try store.remove(name("shop"), version("1.0.0"))
            try store.cache(Array("cached".utf8), of: name("shop"), version("2.0.0"))
            let download = store.downloadPath(for: DownloadKey(Digest(of: [1]), of: nil))
            try Data("part".utf8).write(to: URL(fileURLWithPath: download))
            try store.setQuota(1 << 30)

            let report = try store.storageReport()
            #expect(report.versions.map { "\($0.release.name)@\($0.release.version)" } == ["news@1.0.0", "shop@2.0.0"])
            #expect(report.versions.map(\.ownByteCount) == [11, 5])
            #expect(report.versions.map(\.sharedByteCount) == [6, 6])
            #expect((report.sharedByteCount, report.deadByteCount, report.contentByteCount) == (6, 3, 25))
            #expect((report.segmentCount, report.cacheByteCount, report.downloadByteCount) == (3, 6, 4))
            #expect(report.quota == 1 << 30)
            let indexes = try directory.names(in: "indexes").map { try directory.read("store/indexes/\($0)").count }
            #expect(report.indexByteCount == Int64(indexes.reduce(0, +)))
            #expect(report.versions.allSatisfy { indexes.contains(Int($0.indexByteCount)) })
            #expect(report.catalogByteCount >= Int64(try directory.read("store/catalog.sqlite").count))
            try store.cache(
                [UInt8](repeating: 1, count: 100_000),
                url: "https://m.example.com/b",
                of: name("shop"),
                version("2.0.0")
            )
            #expect(try store.storageReport().cacheByteCount == 100_006)
        }
    }

    @Test("the padding before a long content counts as part of that content")
    func padding() async throws {
        try await withStore { store, directory in
            let long = String(repeating: "a long text ", count: 10_000)
            try store.install("1.0.0", ["long": long, "short": "short"])
            try store.install("2.0.0", ["short": "short"])
            let segments = try directory.names(in: "segments")
            #expect(segments.count == 1)
            let byteCount = try directory.read("store/segments/\(segments[0])").count - SegmentFormat.headerByteCount
            #expect(byteCount > long.utf8.count + 5)

            let report = try store.storageReport()
            #expect(report.contentByteCount == Int64(byteCount))
            #expect(report.versions.map(\.ownByteCount) == [0, Int64(byteCount - 5)])
            #expect((report.sharedByteCount, report.deadByteCount) == (5, 0))
            try store.remove(name("shop"), version("1.0.0"))
            #expect(try store.storageReport().deadByteCount == Int64(byteCount - 5))
        }
    }

    @Test("the sums add up after any installs and removals", arguments: 0..<8 as Range<UInt64>)
    func sums(_ seed: UInt64) async throws {
        try await withStore { store, directory in
            var random = SeededGenerator(seed: seed)
            for number in 0..<20 {
                try store.installRandomRelease(number, using: &random)
                if number % 5 == 4 { try store.prune(keeping: Int.random(in: 0...2, using: &random)) }
            }
            let bundle = try #require(store.snapshot.sortedBundles.randomElement(using: &random))
            if let retained = bundle.retained.first { try store.remove(bundle.name, retained.version) }

            let report = try store.storageReport()
            let own = report.versions.reduce(0) { $0 + $1.ownByteCount }
            #expect(own + report.sharedByteCount + report.deadByteCount == report.contentByteCount)
            let files = try directory.names(in: "segments").map { try directory.read("store/segments/\($0)").count }
            #expect(report.contentByteCount == Int64(files.reduce(0) { $0 + $1 - SegmentFormat.headerByteCount }))
            #expect(report.segmentCount == files.count)
            for version in report.versions {
                let contents = Dictionary(
                    version.release.assets.map { ($0.digest, Int64($0.byteCount)) },
                    uniquingKeysWith: { first, _ in first }
                )
                #expect(version.ownByteCount + version.sharedByteCount == contents.values.reduce(0, +))
            }
        }
    }

    @Test("orphans count as dead, and a file that isn't a segment doesn't stop the report")
    func orphans() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["a": "one"])
            try directory.write(
                [UInt8](repeating: 1, count: 100),
                to: "store/segments/\(FileIdentifier.random().name).segment"
            )
            try directory.write([1, 2], to: "store/segments/odd")
            let report = try store.storageReport()
            #expect((report.segmentCount, report.contentByteCount, report.deadByteCount) == (3, 39, 36))
        }
    }

    @Test("includes files left by a killed process")
    func incoming() async throws {
        try await withStore { store, directory in
            try directory.write([UInt8](repeating: 1, count: 700), to: "store/incoming/\(FileIdentifier.random().name)")
            #expect(try store.storageReport().incomingByteCount == 700)
            try store.prune()
            #expect(try store.storageReport().incomingByteCount == 0)
        }
    }

    @Test("contents that an unreadable version may refer to aren't dead, since pruning keeps them")
    func undetermined() async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                try store.install("1.0.0", ["a": "one", "b": "shared"])
                try store.install("2.0.0", ["a": "three", "b": "shared"])
            }
            try directory.change(directory.index(of: "1.0.0")) { $0.removeLast() }
            let store = try directory.openStore()
            func counts() throws -> [Int64] {
                let report = try store.storageReport()
                return [report.contentByteCount, report.undeterminedByteCount, report.deadByteCount]
            }
            #expect(try counts() == [14, 3, 0])
            try store.prune()
            #expect(try counts() == [14, 3, 0])
            try store.remove(name("shop"), version("1.0.0"))
            #expect(try counts() == [14, 0, 3])
        }
    }
}
