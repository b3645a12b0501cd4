import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Removing and pruning")
struct RemovalTests {
    private func withVersions(_ count: Int, _ body: (BundleStore, TemporaryDirectory) throws -> Void) async throws {
        try await withStore { store, directory in
            for number in 1...count {
                try store.install("\(number).0.0", ["index.html": "page \(number)", "shared.js": "shared"])
            }
            try body(store, directory)
        }
    }

    @Test("a retained version is removed alone")
    func retained() async throws {
        try await withVersions(3) { store, _ in
            let removed = try store.remove(name("shop"), version("2.0.0"))
            #expect(removed.map(\.string) == ["2.0.0"])
            #expect(try store.versions() == ["3.0.0", "1.0.0"])
            #expect(try store.rollBack(name("shop")).to.string == "1.0.0")
        }
    }

    @Test("the active version isn't removed while others remain")
    func active() async throws {
        try await withVersions(2) { store, directory in
            let before = try directory.storeFiles()
            let error = #expect(throws: BundleError.self) { try store.remove(name("shop"), version("2.0.0")) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("shop@2.0.0 is the active version") == true)
            #expect(try directory.storeFiles() == before)
        }
    }

    @Test("the last version is removed with its bundle")
    func last() async throws {
        try await withVersions(1) { store, directory in
            try store.recordCheck(of: name("shop"), failure: nil)
            try store.remove(name("shop"), version("1.0.0"))
            #expect(store.snapshot.bundles.isEmpty)
            #expect(try store.updateState(of: name("shop")) == nil)
            #expect(try directory.openStore().snapshot.bundles.isEmpty)
        }
    }

    @Test("a whole bundle is removed, and can be installed again")
    func all() async throws {
        try await withVersions(3) { store, _ in
            try store.rollBack(name("shop"))
            #expect(try store.remove(name("shop"), nil).map(\.string) == ["2.0.0", "3.0.0", "1.0.0"])
            #expect(store.snapshot.bundles.isEmpty)
            #expect(throws: BundleError.self) { try store.remove(name("shop"), nil) }
            #expect(try store.install("1.0.0") == .installed)
            #expect(try store.updateState(of: name("shop"))?.heldVersion == nil)
        }
    }

    @Test("pruning keeps the active version and the given number of retained ones", arguments: [-1, 0, 1, 2, 9, .max])
    func keeping(_ count: Int) async throws {
        try await withVersions(4) { store, directory in
            let kept = 1 + min(max(count, 0), 3)
            let report = try store.prune(keeping: count)
            let expected = ["4.0.0", "3.0.0", "2.0.0", "1.0.0"]
            #expect(try store.versions() == Array(expected.prefix(kept)))
            #expect(report.releases.map(\.version.string) == Array(expected.dropFirst(kept)))
            #expect(try directory.names(in: "indexes").count == kept)
            #expect(try store.verify().isEmpty)
            #expect(try directory.openStore().verify().isEmpty)
        }
    }

    @Test("a segment is kept as long as any version refers to it, then removed")
    func segments() async throws {
        try await withVersions(3) { store, directory in
            // The first segment holds the content that all three share.
            #expect(try directory.names(in: "segments").count == 3)
            let report = try store.prune(keeping: 0)
            #expect(try directory.names(in: "segments").count == 2)
            #expect(report.fileCount == 3)
            #expect(report.byteCount > 0)
            #expect(try store.release("3.0.0").texts == ["index.html": "page 3", "shared.js": "shared"])
            try store.remove(name("shop"), nil)
            _ = try store.prune()
            #expect(try directory.names(in: "segments").isEmpty)
            #expect(try directory.names(in: "indexes").isEmpty)
        }
    }

    @Test("pruning removes downloads that were abandoned a day ago, and keeps those that may be resumed")
    func pruneDownloads() async throws {
        try await withStore { store, directory in
            let fresh = store.downloadPath(for: DownloadKey(Digest(of: [1]), of: nil))
            let abandoned = store.downloadPath(for: DownloadKey(Digest(of: [2]), of: nil))
            for path in [fresh, abandoned] { try Data([1]).write(to: URL(fileURLWithPath: path)) }
            let longAgo = Date(timeIntervalSinceNow: -25 * 60 * 60)
            try FileManager.default.setAttributes([.modificationDate: longAgo], ofItemAtPath: abandoned)
            #expect(try BundleStore(at: store.path).prune().fileCount == 1)
            #expect(FileManager.default.fileExists(atPath: fresh))
            #expect(!FileManager.default.fileExists(atPath: abandoned))
        }
    }

    @Test("a release that is held stays readable after another process prunes it")
    func held() async throws {
        try await withVersions(2) { store, directory in
            let held = try store.release("1.0.0")
            let asset = try #require(held.asset(at: BundlePath("index.html")))
            _ = try directory.openStore().prune(keeping: 0)
            #expect(asset.contents?.array == Array("page 1".utf8))
            #expect(held.texts == ["index.html": "page 1", "shared.js": "shared"])
            #expect(try store.refresh())
            #expect(try store.versions() == ["2.0.0"])
            #expect(held.texts == ["index.html": "page 1", "shared.js": "shared"])
        }
    }

    @Test(
        "pruning keeps as many versions that were never activated as retained ones, and gives the reason for removals"
    )
    func neverActivated() async throws {
        try await withVersions(3) { store, _ in
            for number in 7...9 { try store.install("\(number).0.0", ["index.html": "\(number)"], activating: false) }
            let removed = try store.prune(keeping: 1).releases
            #expect(
                removed.map { "\($0.version) \($0.reason)" } == [
                    "1.0.0 keep", "8.0.0 neverActivated", "7.0.0 neverActivated",
                ]
            )
            #expect(try store.versions() == ["3.0.0", "2.0.0", "9.0.0"])
            #expect(try store.prune(keeping: 0, sparing: (name("shop"), version("9.0.0"))).releases.count == 1)
            #expect(try store.versions() == ["3.0.0", "9.0.0"])
            #expect(try store.prune(keeping: 0).releases.map(\.version.string) == ["9.0.0"])
            #expect(try store.versions() == ["3.0.0"])
        }
    }

    @Test("pruning keeps the latest version of a bundle that was never activated, and pinned ones")
    func onlyWaiting() async throws {
        try await withStore { store, _ in
            for number in 1...3 { try store.install("\(number).0.0", ["index.html": "\(number)"], activating: false) }
            try store.setPinned(true, name("shop"), version("1.0.0"))
            #expect(try store.prune(keeping: 0).releases.map(\.version.string) == ["2.0.0"])
            #expect(try store.versions() == ["3.0.0", "1.0.0"])
        }
    }

    @Test("pruning some bundles keeps the retained versions of the others")
    func someBundles() async throws {
        try await withVersions(2) { store, _ in
            for text in ["1.0.0", "2.0.0"] { try store.install(text, ["index.html": text], of: "news") }
            #expect(try store.prune(keeping: 0, of: [name("news")]).releases.map(\.name.string) == ["news"])
            #expect(try store.versions() == ["2.0.0", "1.0.0"])
        }
    }

    @Test("pruning doesn't wait for an install: it reports that the store is busy")
    func busy() async throws {
        try await withVersions(2) { store, directory in
            let ingest = try store.beginIngest()
            let error = #expect(throws: BundleError.self) { try directory.openStore().prune() }
            #expect(error?.code == .storeBusy)
            #expect(error?.message.contains("try again later") == true)
            _ = consume ingest
        }
    }
}
