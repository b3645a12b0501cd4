import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("A store with a quota")
struct QuotaTests {
    /// Contents of 100,000 bytes without common parts.
    private func files(_ letter: Character) -> [String: String] {
        ["page.html": String(repeating: letter, count: 100_000)]
    }

    private func cache(_ byteCount: Int, _ number: Int, in store: BundleStore, _ text: String) throws -> Bool {
        try store.cache(
            [UInt8](repeating: 1, count: byteCount),
            url: "https://m.example.com/\(number)",
            of: name("shop"),
            version(text)
        )
    }

    @Test("keeps it until another is set, and none means no limit")
    func setting() async throws {
        try await withStore { store, directory in
            #expect(try store.storageUse() == StorageUse(quota: nil, byteCount: 0, removableByteCount: 0))
            try store.setQuota(500_000_000)
            #expect(try directory.openStore().storageUse().quota == 500_000_000)
            try store.setQuota(1_000)
            #expect(try store.storageUse().quota == 1_000)
            try store.setQuota(nil)
            #expect(try directory.openStore().storageUse().quota == nil)
        }
    }

    @Test("refuses a quota of zero or less", arguments: [0, -1, .min])
    func refused(_ quota: Int64) async throws {
        try await withStore { store, _ in
            let error = #expect(throws: BundleError.self) { try store.setQuota(quota) }
            #expect(error?.code == .invalidArgument)
            let use = try store.storageUse()
            #expect(use.quota == nil)
        }
    }

    @Test("counts segments, indexes and cached bodies by the sizes of their files")
    func counting() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", files("a"))
            try store.install("2.0.0", files("b"))
            #expect(try cache(100_000, 1, in: store, "2.0.0"))
            let sizes = try ["segments", "indexes", "cache"].map { folder in
                try directory.names(in: folder).map { try directory.read("store/\(folder)/\($0)").count }.reduce(0, +)
            }
            let use = try store.storageUse()
            #expect(use.byteCount == Int64(sizes.reduce(0, +)))
            #expect(use.removableByteCount > 200_000 && use.removableByteCount < 210_000)
        }
    }

    @Test("removes cached responses, then the least recently activated versions of any bundle")
    func eviction() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", files("a"), of: "news")
            for (text, letter) in [("1.0.0", "b"), ("2.0.0", "c")] { try store.install(text, files(Character(letter))) }
            try store.install("2.0.0", files("d"), of: "news")
            #expect(try cache(50_000, 1, in: store, "2.0.0"))
            let before = try store.storageUse().byteCount
            try store.setQuota(before + 60_000)
            let removal = try store.installing("3.0.0", files("e"), of: "news", activating: false).quotaRemoval
            #expect(removal.responseCount == 1 && removal.responseByteCount == 50_000)
            #expect(try store.cachedResponses().isEmpty)
            #expect(try store.versions(of: "news") == ["2.0.0", "1.0.0", "3.0.0"])
            try store.install("2.1.0", files("f"), activating: false)
            #expect(try store.versions(of: "news") == ["2.0.0", "3.0.0"])
            #expect(try store.versions() == ["2.0.0", "1.0.0", "2.1.0"])
            try store.install("4.0.0", files("g"), of: "news", activating: false)
            #expect(try store.versions() == ["2.0.0", "2.1.0"])
            try store.prune(keeping: 9)
            #expect(try store.storageUse().byteCount <= before + 60_000)
            #expect(try directory.openStore().verify().isEmpty)
        }
    }

    @Test("refuses an install that has no room, reports the sizes, and is unchanged")
    func refusal() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", files("a"))
            try store.install("2.0.0", files("b"))
            try store.setPinned(true, name("shop"), version("1.0.0"))
            #expect(try cache(10, 1, in: store, "2.0.0"))
            let use = try store.storageUse()
            try store.setQuota(use.byteCount + 50_000)
            let before = try directory.names(in: "segments") + directory.names(in: "indexes")
            let error = #expect(throws: BundleError.self) { try store.install("9.0.0", files("c"), of: "news") }
            #expect(error?.code == .quotaExceeded)
            for part in [
                "news@9.0.0 needs 10", "may have \(ByteCount.text(use.byteCount + 50_000))",
                "\(ByteCount.text(use.byteCount)) are in use",
                "\(ByteCount.text(use.removableByteCount)) of them could be freed",
            ] {
                #expect(error?.message.contains(part) == true)
            }
            #expect(try directory.names(in: "segments") + directory.names(in: "indexes") == before)
            #expect(try store.cachedResponses().count == 1)
            #expect(try store.versions() == ["2.0.0", "1.0.0"])
            #expect(try store.versions(of: "news") == [])
            try store.setPinned(false, name("shop"), version("1.0.0"))
            #expect(try store.install("9.0.0", files("c"), of: "news") == .installed)
            #expect(try store.versions() == ["2.0.0"])
        }
    }

    @Test("gives an update the room of the previously active version if asked to, and refuses it otherwise")
    func update() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", files("a"))
            try store.setQuota(store.storageUse().byteCount + 50_000)
            let before = try directory.names(in: "segments") + directory.names(in: "indexes")
            let error = #expect(throws: BundleError.self) { try store.install("2.0.0", files("b")) }
            #expect(error?.code == .quotaExceeded)
            #expect(
                error?.message.contains(
                    "there is room without shop@1.0.0, to which a rollback leads: give it up, or raise the quota"
                ) == true
            )
            #expect(try directory.names(in: "segments") + directory.names(in: "indexes") == before)
            #expect(try store.activeVersion() == "1.0.0")
            let (outcome, removal) = try store.installing("2.0.0", files("b"), givingUpPrevious: true)
            #expect(outcome == .installed)
            #expect(removal.releases.map { "\($0.name)@\($0.version) \($0.reason)" } == ["shop@1.0.0 quota"])
            #expect(try store.versions() == ["2.0.0"])
        }
    }

    @Test("removes the version that a rollback would activate last, and reports everything that it has removed")
    func previousLast() async throws {
        try await withStore { store, _ in
            for (text, letter) in [("1.0.0", "a"), ("2.0.0", "b")] { try store.install(text, files(Character(letter))) }
            for (text, letter) in [("1", "c"), ("2", "d")] {
                try store.install(text, files(Character(letter)), of: "news")
            }
            try store.setQuota(store.storageUse().byteCount + 10_000)
            let first = try store.installing("3.0.0", files("e"), givingUpPrevious: true).quotaRemoval
            #expect(first.releases.map { "\($0.name)@\($0.version)" } == ["shop@1.0.0"])
            let second = try store.installing("4.0.0", files("f"), givingUpPrevious: true).quotaRemoval
            #expect(second.releases.map { "\($0.name)@\($0.version)" } == ["shop@2.0.0"])
            // Another bundle's version is removed before the one that was active a moment ago.
            let third = try store.installing("5.0.0", files("g"), givingUpPrevious: true).quotaRemoval
            #expect(third.releases.map { "\($0.name)@\($0.version)" } == ["news@1"])
            #expect(try store.versions() == ["5.0.0", "4.0.0", "3.0.0"])
            #expect(try store.rollBack(name("shop")).to.string == "4.0.0")
        }
    }

    @Test("counts running downloads and writes, and abandoned ones as removable")
    func transient() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", files("a"))
            let before = try store.storageUse()
            let download = try DownloadFile(store.downloadPath(for: DownloadKey(Digest(of: [1]), of: nil)))
            try download.append([UInt8](repeating: 1, count: 5_000))
            try directory.write([UInt8](repeating: 1, count: 300), to: "store/downloads/given-up.part")
            try directory.write([UInt8](repeating: 1, count: 70), to: "store/incoming/\(FileIdentifier.random().name)")
            let use = try store.storageUse()
            #expect(use.byteCount == before.byteCount + 5_370)
            #expect(use.removableByteCount == before.removableByteCount + 370)
            let writer = store.beginCachedBody()
            try writer.append([UInt8](repeating: 1, count: 100_000))
            #expect(try store.storageUse().removableByteCount == before.removableByteCount + 300)
            writer.discard()
            withExtendedLifetime(download) {}
        }
    }

    @Test("is kept by pruning abandoned downloads; those in use are kept")
    func pruneDownloads() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", files("a"))
            let download = try DownloadFile(store.downloadPath(for: DownloadKey(Digest(of: [1]), of: nil)))
            try download.append([UInt8](repeating: 1, count: 5_000))
            try directory.write([UInt8](repeating: 1, count: 300), to: "store/downloads/begun.part")
            let report = try store.prune()
            #expect(report.fileCount == 0)
            #expect(report.keptDownloadCount == 2)
            #expect(report.keptDownloadByteCount == 5_300)
            try store.setQuota(store.storageUse().byteCount - 1)
            #expect(try store.prune().byteCount == 300)
            #expect(try directory.names(in: "downloads") == ["\(Digest(of: [1]).hex).part"])
        }
    }

    @Test("limits the bodies being fetched together with those in the cache")
    func staged() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", files("a"))
            #expect(try cache(200_000, 1, in: store, "1.0.0"))
            let quota: Int64 = 1_000_000
            try store.setQuota(quota)
            var writers: [CachedBodyWriter] = []
            var refusedCount = 0
            for _ in 0..<20 {
                let writer = store.beginCachedBody()
                do {
                    for _ in 0..<8 { try writer.append([UInt8](repeating: 1, count: 30_000)) }
                    writers.append(writer)
                } catch let error as BundleError {
                    #expect(error.code == .storeUnavailable)
                    writer.discard()
                    refusedCount += 1
                }
            }
            #expect(refusedCount > 15)
            #expect(!writers.isEmpty)
            // The files of what was removed to make room are removed in the background.
            store.awaitCache()
            #expect(try store.storageUse().byteCount <= quota)
            #expect(try store.cachedResponses().isEmpty)
            writers = []
            #expect(store.cache.stagedBodies.total == 0)
            store.awaitCache()
            #expect(try directory.names(in: "incoming").isEmpty)
            #expect(try cache(200_000, 2, in: store, "1.0.0"))
            #expect(store.cache.stagedBodies.total == 0)
        }
    }

    @Test("never removes the version being installed, even if it replaces a retained one")
    func replacement() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", files("a"))
            try store.install("2.0.0", files("b"))
            try store.setQuota(store.storageUse().byteCount + 50_000)
            let before = try directory.names(in: "segments")
            let larger = ["page.html": String(repeating: "c", count: 200_000)]
            let error = #expect(throws: BundleError.self) {
                try store.install("1.0.0", larger, activating: false, replacing: true)
            }
            #expect(error?.code == .quotaExceeded)
            #expect(try directory.names(in: "segments") == before)
            #expect(try store.release("1.0.0").texts == files("a").mapValues { $0 })
            try store.install("1.0.0", ["page.html": "small"], activating: false, replacing: true)
            #expect(try store.release("1.0.0").texts == ["page.html": "small"])
            #expect(try store.versions() == ["2.0.0", "1.0.0"])
        }
    }

    /// Versions that each have a tenth of their 200,000 bytes to themselves and share the rest with their neighbours.
    private func series(_ number: Int) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: (number..<number + 10).map {
                ("\($0).html", String(repeating: "\($0) ", count: 20_000 / "\($0) ".count))
            }
        )
    }

    @Test("allows updates as long as their remaining contents have room, even if scattered")
    func scattered() async throws {
        try await withStore { store, directory in
            try store.install("10.0.0", series(10))
            let quota: Int64 = 270_000
            try store.setQuota(quota)
            for number in 11...40 {
                #expect(try store.install("\(number).0.0", series(number)) == .installed)
                try store.prune()
                let use = try store.storageUse()
                #expect(use.byteCount <= quota)
            }
            #expect(try store.activeVersion() == "40.0.0")
            #expect(try directory.openStore().verify() == [])
            #expect(try store.release("40.0.0").texts == series(40).mapValues { $0 })
        }
    }

    @Test("reports a quota that is just enough")
    func sufficient() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0", files("a"))
            try store.install("2.0.0", files("b"))
            try store.setQuota(store.storageUse().byteCount - 1)
            let larger = ["page.html": String(repeating: "c", count: 250_000)]
            let error = #expect(throws: BundleError.self) { try store.install("3.0.0", larger, activating: false) }
            guard case .raiseQuota(let needed, orGiveUp: nil) = error?.remedy else {
                Issue.record("\(String(describing: error))")
                return
            }
            try store.setQuota(needed - 1)
            #expect(throws: BundleError.self) { try store.install("3.0.0", larger, activating: false) }
            try store.setQuota(needed)
            try store.install("3.0.0", larger, activating: false)
            try store.prune()
            #expect(try store.storageUse().byteCount <= needed)
        }
    }

    @Test("uses only the non-removable bytes after everything removable is removed and pruned")
    func removable() async throws {
        try await withStore { store, _ in
            for number in 10...14 { try store.install("\(number).0.0", series(number)) }
            let use = try store.storageUse()
            #expect(use.removableByteCount > 80_000)
            for number in 10...13 { try store.remove(name("shop"), version("\(number).0.0")) }
            let after = try store.storageUse()
            #expect(after.byteCount - after.removableByteCount == use.byteCount - use.removableByteCount)
            try store.setQuota(1)
            try store.prune()
            let left = try store.storageUse()
            // Contents of several segments are in one now, whose header counts once.
            #expect(left.byteCount <= use.byteCount - use.removableByteCount)
            #expect(left.byteCount > use.byteCount - use.removableByteCount - 64 * 5)
            #expect(left.removableByteCount == 0)
        }
    }

    @Test(
        "counts as one without a quota if the stored value is invalid, which verification reports",
        arguments: ["'abc'", "-3", "0", "x'00'", "1e300"]
    )
    func damaged(_ value: String) async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", files("a"))
            try store.setQuota(1_000_000)
            try directory.changeCatalog("UPDATE quota SET byteCount = \(value)")
            #expect(try store.storageUse().quota == nil)
            try store.install("2.0.0", files("b"))
            #expect(try cache(10, 1, in: store, "2.0.0"))
            let damage = try store.verify()
            #expect(damage.map(\.description) == ["catalog: the quota is damaged, and counts as none; set it again"])
            #expect(damage.map(\.remedy) == [.setQuota])
            #expect(try store.storageReport().quota == nil)
            try store.setQuota(nil)
            #expect(try store.verify() == [])
        }
    }

    @Test("keeps no more responses than it has room for")
    func cache() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0", files("a"))
            let content = try store.storageUse().byteCount
            try store.setQuota(content + 3_500)
            for number in 1...4 { _ = try cache(1_000, number, in: store, "1.0.0") }
            #expect(try store.cachedResponses().map(\.url) == ["https://m.example.com/4", "https://m.example.com/3"])
            _ = try cache(3_000, 5, in: store, "1.0.0")
            #expect(try store.storageUse().byteCount <= content + 3_500)
        }
    }
}
