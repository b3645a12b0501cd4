import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("A bundle whose active release can't be opened")
struct DegradedBundleTests {
    /// The damage that keeps an index from being opened.
    enum Harm: CaseIterable {
        case emptied, cut, garbage, removed
    }

    /// Provides the folder of a store with `shop` 1.0.0, 2.0.0 and 3.0.0, the last one active with a damaged index.
    private func withDamaged(
        _ harm: Harm = .cut,
        versions: [String] = ["1.0.0", "2.0.0", "3.0.0"],
        _ body: (BundleStore, InstalledBundle, TemporaryDirectory) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                for version in versions { try store.install(version, ["a.txt": "a \(version)"]) }
            }
            let index = try directory.index(of: versions.last ?? "")
            switch harm {
            case .emptied: try directory.change(index) { $0 = [] }
            case .cut: try directory.change(index) { $0.removeLast($0.count / 2) }
            case .garbage: try directory.change(index) { $0[0] ^= 1 }
            case .removed: try directory.remove(index)
            }
            let store = try directory.openStore()
            try body(store, try #require(store.snapshot.bundles[name("shop")]), directory)
        }
    }

    @Test("is served from the retained release that was active last, and reports it", arguments: Harm.allCases)
    func fallbackRelease(_ harm: Harm) async throws {
        try await withDamaged(harm) { store, bundle, _ in
            #expect(bundle.active == nil)
            #expect(bundle.isDegraded)
            #expect(bundle.activeVersion?.string == "3.0.0")
            #expect(bundle.fallbackRelease?.version.string == "2.0.0")
            #expect(bundle.serving === bundle.fallbackRelease)
            #expect(bundle.current?.version.string == "3.0.0")
            #expect(bundle.releases.map(\.version.string) == ["2.0.0", "1.0.0"])
            #expect(bundle.damaged.map(\.version.string) == ["3.0.0"])
            #expect(store.snapshot.degradations == ["shop 3.0.0 can't be opened, 2.0.0 is served"])
            #expect(store.takeDamagedBundles().map { $0?.string } == ["shop"])
        }
    }

    @Test("has no stand-in if it is the only release, and its manifest still counts")
    func alone() async throws {
        try await withDamaged(versions: ["3.0.0"]) { store, bundle, _ in
            #expect(bundle.serving?.version.string == "3.0.0")
            #expect(bundle.serving?.isReadable == false)
            let path = try BundlePath("a.txt")
            #expect(bundle.serving?.asset(at: path) == nil)
            #expect(bundle.serving?.fileCount == 1)
            #expect(store.snapshot.degradations == ["shop 3.0.0 can't be opened, nothing is served in its place"])
        }
    }

    @Test("is rolled back from by its version, which is held back")
    func rollback() async throws {
        try await withDamaged { store, _, _ in
            let (from, to) = try store.rollBack(name("shop"))
            #expect((from?.string, to.string) == ("3.0.0", "2.0.0"))
            #expect(try store.updateState(of: name("shop"))?.heldVersion?.string == "3.0.0")
            #expect(store.snapshot.degradations == [])
        }
    }

    @Test("is known: operations on its files report the damage, those on the catalog alone succeed")
    func changes() async throws {
        try await withDamaged { store, _, _ in
            let (shop, damaged) = (try name("shop"), try version("3.0.0"))
            let error = #expect(throws: BundleError.self) { try store.activate(shop, damaged) }
            #expect(error?.code == .storeDamaged)
            #expect(error?.message.hasPrefix("shop@3.0.0: ") == true)
            try store.setPinned(true, shop, damaged)
            #expect(throws: BundleError.self) { try store.remove(shop, nil) }
            try store.setPinned(false, shop, damaged)
            #expect(try store.remove(shop, damaged).map(\.string) == ["3.0.0"])
            #expect(store.snapshot.damage == [])
            #expect(store.snapshot.bundles[shop]?.active?.version.string == "2.0.0")
        }
    }

    @Test("keeps its stand-in, however few earlier versions are to be kept")
    func pruning() async throws {
        try await withDamaged { store, _, _ in
            let report = try store.prune(keeping: 0)
            #expect(report.releases.map(\.version.string) == ["1.0.0"])
            #expect(store.snapshot.degradations == ["shop 3.0.0 can't be opened, 2.0.0 is served"])
        }
    }

    @Test("keeps its stand-in when a quota has no room, even if only the end of the index shows the damage")
    func quota() async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                for letter in ["1", "2", "3"] {
                    try store.install("\(letter).0.0", ["a.txt": String(repeating: letter, count: 100_000)])
                }
            }
            try directory.change(try directory.index(of: "3.0.0")) { $0[$0.count - 1] ^= 1 }
            let store = try directory.openStore()
            try store.setQuota(try store.storageUse().byteCount + 50_000)
            let files = { (letter: String) in ["a.txt": String(repeating: letter, count: 100_000)] }
            let removal = try store.installing("1.0.0", files("x"), of: "x").quotaRemoval
            #expect(removal.releases.map(\.version.string) == ["1.0.0"])
            #expect(store.snapshot.degradations == ["shop 3.0.0 can't be opened, 2.0.0 is served"])
            let error = #expect(throws: BundleError.self) { try store.install("1.0.0", files("y"), of: "y") }
            #expect(error?.code == .quotaExceeded)
            #expect(store.snapshot.degradations == ["shop 3.0.0 can't be opened, 2.0.0 is served"])
        }
    }

    @Test("keeps its stand-in even if only the end of the index, which pruning checks, shows the damage")
    func pruningUnknowing() async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                for version in ["1.0.0", "2.0.0"] { try store.install(version, ["a.txt": "a \(version)"]) }
            }
            try directory.change(try directory.index(of: "2.0.0")) { $0[$0.count - 1] ^= 1 }
            let store = try directory.openStore()
            #expect(store.snapshot.degradations == [])
            #expect(try store.prune(keeping: 0).releases.isEmpty)
            #expect(store.snapshot.degradations == ["shop 2.0.0 can't be opened, 1.0.0 is served"])
        }
    }

    @Test("is left for its stand-in, both by a rollback and by its removal", arguments: [true, false])
    func leaving(_ rollsBack: Bool) async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                for version in ["1.0.0", "2.0.0", "3.0.0"] { try store.install(version, ["a.txt": "a \(version)"]) }
            }
            for version in ["2.0.0", "3.0.0"] {
                try directory.remove(try directory.storeFile(in: "segments", holding: "a \(version)"))
            }
            let store = try directory.openStore()
            #expect(store.snapshot.degradations == ["shop 3.0.0 can't be read, 1.0.0 is served"])
            let shop = try name("shop")
            if rollsBack {
                #expect(try store.rollBack(shop).to.string == "1.0.0")
            } else {
                #expect(try store.remove(shop, version("3.0.0")).map(\.string) == ["3.0.0"])
            }
            #expect(store.snapshot.bundles[shop]?.active?.version.string == "1.0.0")
        }
    }

    @Test("is only repaired by its own content")
    func reinstallation() async throws {
        try await withDamaged { store, _, _ in
            let shop = try name("shop")
            let error = #expect(throws: BundleError.self) { try store.install("3.0.0", ["a.txt": "another"]) }
            #expect(error?.code == .versionConflict)
            #expect(try store.install("3.0.0", ["a.txt": "a 3.0.0"]) == .installed)
            #expect(store.snapshot.bundles[shop]?.active?.version.string == "3.0.0")
            #expect(store.snapshot.degradations == [])
        }
    }

    @Test("is also one whose active release has lost all contents, and is read again after they are restored")
    func lostContents() async throws {
        try await withTemporaryDirectory { directory in
            let store = try directory.openStore()
            for version in ["1.0.0", "2.0.0"] { try store.install(version, ["a.txt": "a \(version)"]) }
            let segment = try directory.storeFile(in: "segments", holding: "a 2.0.0")
            let bytes = try directory.read(segment)
            try directory.cut(segment, to: 10)
            #expect(try store.recheckFiles())
            #expect(store.snapshot.degradations == ["shop 2.0.0 can't be read, 1.0.0 is served"])
            #expect(try !store.recheckFiles())
            try directory.write(bytes, to: segment)
            #expect(try store.recheckFiles())
            #expect(store.snapshot.degradations == [])
        }
    }

    @Test("prevents pruning from deleting files only while it counts among the versions to keep")
    func prunedRetained() async throws {
        try await withDamaged { store, _, directory in
            try store.install("4.0.0", ["a.txt": "a 4.0.0"])
            // The damaged version is the latest of the earlier ones, and may be repaired.
            #expect(try store.prune().releases.map(\.version.string) == ["1.0.0"])
            #expect(try store.versions() == ["4.0.0", "2.0.0"])
            #expect(try store.bundle(name("shop")).damaged.map(\.version.string) == ["3.0.0"])
            #expect(try directory.names(in: "segments").count == 4)
            try store.install("5.0.0", ["a.txt": "a 5.0.0"])
            let report = try store.prune()
            #expect(report.releases.map(\.version.string) == ["3.0.0", "2.0.0"])
            #expect(report.warnings == [])
            #expect(try store.versions() == ["5.0.0", "4.0.0"])
            #expect(try directory.names(in: "segments").count == 2)
            #expect(try directory.openStore().verify() == [])
        }
    }

    @Test("and any damage that can't be assigned to a bundle, calls for a repair")
    func nameless() async throws {
        try await withTemporaryDirectory { directory in
            do { try directory.openStore().install("1.0.0", ["a.txt": "a"]) }
            try directory.changeCatalog(
                """
                PRAGMA foreign_keys = OFF; DELETE FROM bundle;
                UPDATE release SET bundle = x'ff', manifest = x'00', indexFile = 'x'
                """
            )
            let store = try directory.openStore()
            #expect(store.takeDamagedBundles().contains(nil))
        }
    }
}

extension TemporaryDirectory {
    /// Truncates a file in place.
    func cut(_ file: String, to byteCount: Int) throws {
        try #require(truncate(path(of: file), byteCount) == 0)
    }
}
