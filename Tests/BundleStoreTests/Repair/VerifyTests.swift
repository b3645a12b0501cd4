import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Verifying a store")
struct VerifyTests {
    private static let old = ["index.html": "page 1", "shared.js": "shared"]
    private static let new = ["index.html": "page 2", "shared.js": "shared"]

    /// Provides the folder of a closed store with two versions.
    private func withClosedStore(_ body: (TemporaryDirectory) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                try store.install("1.0.0", Self.old)
                try store.install("2.0.0", Self.new)
            }
            try body(directory)
        }
    }

    @Test("finds no damage in an intact one, and reports every byte as progress")
    func sound() async throws {
        try await withClosedStore { directory in
            var last = ByteProgress(done: 0, total: 0)
            let damage = try directory.openStore().verify { progress in
                #expect(progress.done >= last.done)
                last = progress
            }
            #expect(damage.isEmpty)
            // Both segments with their headers; shared contents are stored once.
            #expect(last == ByteProgress(done: 64 + 12 + 64 + 6, total: 146))
        }
    }

    @Test("names the files whose content has changed, in every version that has them")
    func changedContent() async throws {
        try await withClosedStore { directory in
            let segment = try directory.storeFile(in: "segments", holding: "shared")
            try directory.change(segment) { bytes in
                guard let range = bytes.firstRange(of: Array("shared".utf8)) else { return }
                bytes[range.lowerBound] ^= 1
            }
            let damage = try directory.openStore().verify().map(\.description).sorted()
            #expect(damage.count == 2)
            #expect(damage[0].hasPrefix("shop@1.0.0 shared.js: "))
            #expect(damage[1].hasPrefix("shop@2.0.0 shared.js: "))
            #expect(damage.allSatisfy { $0.contains("reinstall") })
        }
    }

    @Test("advises a repair once for an index that can't be opened, and not again after it")
    func adviceOnIndex() async throws {
        try await withClosedStore { directory in
            try directory.change(directory.storeFile(in: "indexes", holding: "shared.js")) { $0.removeLast() }
            let damage = try #require(directory.openStore().verify().first)
            #expect(damage.remedy == .repair(.release))
            #expect(damage.afterRepair.remedy == .replaceUnrepairable(.release))
            #expect(damage.afterRepair.problem == damage.problem)
        }
    }

    @Test("names the releases and the files of a missing, truncated or unrecognisable segment", arguments: 0..<3)
    func damagedSegment(_ kind: Int) async throws {
        try await withClosedStore { directory in
            let segment = try directory.storeFile(in: "segments", holding: "page 2")
            switch kind {
            case 0: try directory.remove(segment)
            case 1: try directory.change(segment) { $0.removeLast() }
            default: try directory.change(segment) { $0[0] ^= 1 }
            }
            let store = try directory.openStore()
            let damage = try store.verify()
            #expect(damage.contains { $0.description.hasPrefix("shop@2.0.0 index.html: ") })
            #expect(damage.contains { $0.description.hasPrefix("shop@2.0.0: segment ") })
            #expect(damage.allSatisfy { $0.version?.string == "2.0.0" && $0.description.contains("reinstall") })
            #expect(try store.release("2.0.0").texts == ["index.html": nil, "shared.js": "shared"])
            #expect(try store.release("1.0.0").texts == Self.old.mapValues { $0 })
        }
    }

    @Test("names the release of an index that is missing, truncated, or changed anywhere", arguments: 0..<4)
    func damagedIndex(_ kind: Int) async throws {
        try await withClosedStore { directory in
            let active = try directory.openStore().release("2.0.0").index.identifier.name
            let index = "store/indexes/\(active).index"
            switch kind {
            case 0: try directory.remove(index)
            case 1: try directory.change(index) { $0.removeLast() }
            case 2: try directory.change(index) { $0[$0.count - 1] ^= 1 }
            default: try directory.change(index) { $0[24] = 1 }
            }
            let damage = try directory.openStore().verify()
            let release = try #require(damage.first { $0.path == nil })
            #expect(release.description.hasPrefix("shop@2.0.0: "))
            #expect(release.problem.contains("index"))
            #expect(release.description.contains("reinstall"))
            #expect(damage.allSatisfy { $0.version?.string == "2.0.0" })
        }
    }

    @Test("doesn't report as damage what another process removes meanwhile")
    func removedMeanwhile() async throws {
        try await withStore { store, directory in
            for number in 1...4 { try store.install("\(number)", ["index.html": "page \(number)"]) }
            var isFirst = true
            let damage = try directory.openStore().verify { _ in
                guard isFirst else { return }
                isFirst = false
                do {
                    try store.prune(keeping: 0)
                } catch {
                    Issue.record(error)
                }
            }
            #expect(damage == [])
            #expect(try directory.names(in: "segments").count == 1)
        }
    }

    @Test("finds damage that occurred after the store was opened")
    func later() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", Self.old)
            #expect(try store.verify().isEmpty)
            let segment = try directory.storeFile(in: "segments", holding: "page 1")
            try directory.remove(segment)
            #expect(try !store.verify().isEmpty)
        }
    }

    @Test("a release with a damaged index is repaired by reinstalling it")
    func reinstallIndex() async throws {
        try await withClosedStore { directory in
            let active = try directory.openStore().release("2.0.0").index.identifier.name
            try directory.change("store/indexes/\(active).index") { $0.removeLast() }
            let store = try directory.openStore()
            #expect(try store.activeVersion() == nil)
            #expect(try store.install("2.0.0", Self.new, activating: false) == .installed)
            #expect(try store.activeVersion() == "2.0.0")
            #expect(try store.verify().isEmpty)
        }
    }

    @Test("a release with damaged content is repaired by reinstalling it with replacement")
    func reinstallContent() async throws {
        try await withClosedStore { directory in
            let segment = try directory.storeFile(in: "segments", holding: "page 2")
            try directory.change(segment) { $0[$0.count - 1] ^= 1 }
            let store = try directory.openStore()
            #expect(try store.install("2.0.0", Self.new, replacing: true) == .installed)
            #expect(try store.verify().isEmpty)
            #expect(try directory.openStore().release("2.0.0").texts == Self.new.mapValues { $0 })
        }
    }

    @Test("damage doesn't spread to a new version that has the same content")
    func spreading() async throws {
        try await withClosedStore { directory in
            let segment = try directory.storeFile(in: "segments", holding: "shared")
            try directory.change(segment) { $0[$0.count - 1] ^= 1 }
            let store = try directory.openStore()
            try store.install("3.0.0", Self.new)
            #expect(try store.verify().allSatisfy { $0.version?.string != "3.0.0" })
        }
    }

    @Test("a bundle is removed with its releases that can't be opened")
    func removal() async throws {
        try await withClosedStore { directory in
            let active = try directory.openStore().release("2.0.0").index.identifier.name
            try directory.remove("store/indexes/\(active).index")
            let store = try directory.openStore()
            try store.remove(name("shop"), nil)
            #expect(try store.verify().isEmpty)
            #expect(try directory.openStore().snapshot.damage.isEmpty)
        }
    }

    @Test(
        "a release whose index was changed at random is read without ending the process",
        arguments: 0..<4 as Range<UInt64>
    )
    func randomIndex(_ seed: UInt64) async throws {
        try await withClosedStore { directory in
            var random = SeededGenerator(seed: seed)
            let active = try directory.openStore().release("2.0.0").index.identifier.name
            let index = "store/indexes/\(active).index"
            let sound = try directory.read(index)
            for _ in 0..<40 {
                try directory.change(index) { bytes in
                    bytes = sound
                    for _ in 0..<Int.random(in: 1...40, using: &random) {
                        let position = Int.random(in: 24..<sound.count, using: &random)
                        bytes[position] = [0, 0x7F, 0xFF, 1].randomElement(using: &random) ?? 0
                    }
                }
                let store = try directory.openStore()
                _ = try store.verify()
                for release in store.snapshot.releases {
                    for asset in release.assets { _ = (asset.path, asset.mediaType, asset.byteCount, asset.contents) }
                }
            }
        }
    }

    @Test("doesn't report what another process removes meanwhile, nor start over because of it")
    func removedOnce() async throws {
        try await withClosedStore { directory in
            let store = try directory.openStore()
            try store.install("9.0.0", ["index.html": "nine"], of: "other")
            try SegmentDamage.flip("nine", inStore: directory.path(of: "store"))
            let other = try directory.openStore()
            var (last, rereadCount) = (Int64(0), 0)
            let damage = try store.verify { progress in
                if progress.done < last { rereadCount += 1 }
                last = progress.done
                guard other.snapshot.bundles[BundleName("other")] != nil else { return }
                #expect(throws: Never.self) { _ = try other.remove(name("other"), nil) }
            }
            #expect(damage == [])
            #expect(last > 0)
            #expect(rereadCount == 0)
            #expect(try directory.openStore().snapshot.bundles[name("other")] == nil)
        }
    }
}
