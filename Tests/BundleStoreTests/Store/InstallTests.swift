import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Installing a release")
struct InstallTests {
    private let files = BundleStore.sampleFiles

    @Test("a manifest that takes more bytes in the store than the parser reads is refused, and a good version stays")
    func longManifest() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0")
            // The store writes the keys that have their defaults too.
            let start = #"{"name":"shop","version":"2.0.0","origins":[],"headers":{"/**":{"X-A":""#
            let value = String(repeating: "a", count: BundleManifest.maximumByteCount - start.utf8.count - 4)
            let long = try BundleManifest.parse(Array((start + value + #""}}}"#).utf8)).manifest
            #expect(long.encoded().count > BundleManifest.maximumByteCount)
            let error = #expect(throws: BundleError.self) { try store.commit(["index.html": "2"], long) }
            #expect(error?.code == .invalidManifest)
            #expect(try store.activeVersion() == "1.0.0")
        }
    }

    @Test("makes every file readable, with its digest, media type and length")
    func reading() async throws {
        try await withStore { store, _ in
            #expect(try store.install("1.0.0") == .installed)
            let release = try store.release("1.0.0")
            #expect(release.texts == files.mapValues { $0 })
            #expect(release.assets.map(\.path) == files.keys.sorted())
            #expect(release.fileCount == 3)
            #expect(release.byteCount == 17)
            let asset = try #require(release.asset(at: BundlePath("assets/app.js")))
            #expect(asset.digest == Digest(of: Array("let a = 1".utf8)))
            #expect((asset.byteCount, asset.mediaType) == (9, "text/javascript"))
            #expect(try release.asset(at: BundlePath("assets")) == nil)
            #expect(try store.activeVersion() == "1.0.0")
        }
    }

    @Test("again changes nothing")
    func again() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            let before = try directory.storeFiles()
            let generation = store.snapshot.generation
            #expect(try store.install("1.0.0") == .unchanged)
            #expect(try store.install("1.0.0", activating: false) == .unchanged)
            #expect(try directory.storeFiles() == before)
            #expect(store.snapshot.generation == generation)
        }
    }

    @Test("again repairs what has been damaged meanwhile", arguments: ["segments", "indexes"])
    func repair(_ folder: String) async throws {
        try await withTemporaryDirectory { directory in
            do { try directory.openStore().install("1.0.0") }
            let file = "store/\(folder)/" + (try directory.names(in: folder)[0])
            var bytes = try directory.read(file)
            bytes[bytes.count - 1] ^= 1
            try directory.write(bytes, to: file)
            let store = try directory.openStore()
            #expect(try !store.verify().isEmpty)
            #expect(try store.install("1.0.0") == .installed)
            #expect(try store.verify().isEmpty)
            #expect(try store.install("1.0.0") == .unchanged)
        }
    }

    @Test("that is retained makes it active")
    func retained() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0")
            try store.install("1.1.0", ["index.html": "new"])
            #expect(try store.install("1.0.0", activating: false) == .unchanged)
            #expect(try store.activeVersion() == "1.1.0")
            #expect(try store.install("1.0.0") == .activated)
            #expect(try store.activeVersion() == "1.0.0")
        }
    }

    @Test("with different content under the same version is refused and leaves the store unchanged")
    func conflict() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            let before = try directory.storeFiles()
            for changed in [["index.html": "other"], files.merging(["new": "x"]) { $1 }, ["index.htm": "<p>Hello"]] {
                let error = #expect(throws: BundleError.self) { try store.install("1.0.0", changed) }
                #expect(error?.code == .versionConflict)
                #expect(error?.message.contains("shop@1.0.0 is installed with other content") == true)
            }
            #expect(try directory.storeFiles() == before)
        }
    }

    @Test("with another manifest under the same version is refused")
    func manifestConflict() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0")
            let error = #expect(throws: BundleError.self) {
                try store.commit(files, manifest("1.0.0", offlinePage: "index.html"))
            }
            #expect(error?.code == .versionConflict)
        }
    }

    @Test("in place of different content replaces it, active or not", arguments: [true, false])
    func replacing(_ activating: Bool) async throws {
        try await withStore { store, _ in
            try store.install("1.0.0")
            let old = try store.release("1.0.0")
            let outcome = try store.install("1.0.0", ["index.html": "other"], activating: activating, replacing: true)
            #expect(outcome == .installed)
            #expect(try store.versions() == ["1.0.0"])
            #expect(try store.release("1.0.0").texts == ["index.html": "other"])
            #expect(try store.activeVersion() == "1.0.0")
            #expect(old.texts == files.mapValues { $0 })
        }
    }

    @Test("without activation keeps the active one")
    func inactive() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0")
            try store.install("2.0.0", ["index.html": "two"], activating: false)
            #expect(try store.versions() == ["1.0.0", "2.0.0"])
            #expect(try store.release("2.0.0").state == .installed)
            #expect(try store.release("2.0.0").activatedAt == nil)
            try store.activate(name("shop"), version("2.0.0"))
            #expect(try store.release("2.0.0").state == .active)
            #expect(try store.release("1.0.0").state == .retained)
        }
    }

    @Test("writes only new content, and both versions are read back")
    func newContent() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            let changed = files.merging(["index.html": "<p>New", "copy.js": "let a = 1"]) { $1 }
            let uncommitted = try store.ingest(changed).seal()
            let counts = (uncommitted.newByteCount, uncommitted.byteCount)
            #expect(counts == (6, 24))
            let segments = try directory.names(in: "segments").count
            #expect(try store.install("1.1.0", changed) == .installed)
            #expect(try directory.names(in: "segments").count == segments + 1)
            #expect(try store.release("1.1.0").texts == changed.mapValues { $0 })
            #expect(try store.release("1.0.0").texts == files.mapValues { $0 })
            #expect(try store.install("1.2.0", changed) == .installed)
            #expect(try directory.names(in: "segments").count == segments + 1)
            _ = consume uncommitted
        }
    }

    @Test("shares content with other bundles as well")
    func sharedContent() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            try store.install("3", of: "news")
            #expect(try directory.names(in: "segments").count == 1)
            try store.remove(name("shop"), nil)
            _ = try store.prune()
            #expect(try store.release("3", of: "news").texts == files.mapValues { $0 })
            #expect(try directory.openStore().release("3", of: "news").texts == files.mapValues { $0 })
        }
    }

    @Test("determines the media type from the content, even of content stored before")
    func mediaTypeContent() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0")
            var seen: [String: String] = [:]
            _ = try store.ingest(files).seal().commit(
                manifest("1.1.0"),
                mediaType: { path, content in
                    seen[path.string] = String(decoding: content.array, as: UTF8.self)
                    return "text/plain"
                },
                marking: .none,
                activating: true,
                replacing: false,
                waits: false
            )
            #expect(seen == files)
        }
    }

    @Test("determines the media type from the content even if the version that shares it was removed meanwhile")
    func mediaTypeAfterRemoval() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            let ingest = try store.ingest(files)
            try directory.openStore().remove(name("shop"), nil)
            var lengths: [String: Int] = [:]
            let outcome = try ingest.seal().commit(
                manifest("1.1.0"),
                mediaType: { path, content in
                    lengths[path.string] = content.count
                    return "text/plain"
                },
                marking: .none,
                activating: true,
                replacing: false,
                waits: false
            ).outcome
            #expect(outcome == .installed)
            #expect(lengths == files.mapValues(\.utf8.count))
            #expect(try directory.openStore().release("1.1.0").texts == files.mapValues { $0 })
        }
    }

    @Test("without a file is refused")
    func empty() async throws {
        try await withStore { store, directory in
            let before = try directory.storeFiles()
            let error = #expect(throws: BundleError.self) { try store.install("1.0.0", [:]) }
            #expect(error?.code == .invalidArchive)
            #expect(error?.message.contains("no file") == true)
            #expect(try directory.storeFiles() == before)
        }
    }

    @Test("that is abandoned leaves the store's files unchanged, byte for byte", arguments: [1, 3 << 20])
    func abandoned(_ count: Int) async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            let before = try directory.storeFiles()
            do {
                let ingest = try store.beginIngest()
                try ingest.add("big.bin", [UInt8](repeating: 1, count: count))
                try [UInt8](repeating: 2, count: count).withUnsafeBytes { try ingest.append($0) }
                #expect(try directory.storeFiles() != before)
            }
            #expect(try directory.storeFiles() == before)
        }
    }

    @Test("has the same digest for equal content in any order, and another for different content")
    func contentDigest() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0", ["a": "x", "b": "y"], of: "one")
            try store.install("1.0.0", ["a": "y", "b": "x"], of: "one", replacing: true)
            let swapped = try store.release("1.0.0", of: "one").contentDigest
            let ingest = try store.beginIngest()
            try ingest.add("b", Array("x".utf8))
            try ingest.add("a", Array("y".utf8))
            let outcome = try ingest.seal().commit(
                manifest("1.0.0", of: "one"),
                mediaType: { _, _ in "" },
                marking: .none,
                activating: true,
                replacing: false,
                waits: false
            ).outcome
            #expect(outcome == .unchanged)
            try store.install("1.0.0", ["a": "x", "b": "y"], of: "one", replacing: true)
            #expect(try store.release("1.0.0", of: "one").contentDigest != swapped)
        }
    }
}
