import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Opening a store")
struct OpeningTests {
    @Test("in a folder without one fails, and creates nothing", arguments: ["", "missing", "missing/deep"])
    func missing(_ folder: String) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path(of: folder)
            let error = #expect(throws: BundleError.self) { try BundleStore(at: path) }
            #expect(error?.code == .storeUnavailable)
            #expect(error?.message.contains("there is no store in \(path)") == true)
            let entries = try directory.snapshot().entries
            #expect(entries.isEmpty)
        }
    }

    @Test("in a folder with other files fails, and doesn't advise to make one there")
    func foreign() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("x", to: "hosts")
            let error = #expect(throws: BundleError.self) { try BundleStore(at: directory.path) }
            #expect(error?.code == .storeUnavailable)
            #expect(error?.message.contains("isn't a store, and can't become one, because it has hosts; ") == true)
        }
    }

    @Test("with a file in the way fails, and the error names the place", arguments: ["file", "file/store"])
    func fileInTheWay(_ place: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("x", to: "file")
            let path = directory.path(of: place)
            let error = #expect(throws: BundleError.self) { try BundleStore(at: path, creating: true) }
            #expect(error?.code == .storeUnavailable)
            #expect(error?.message.contains(path) == true)
            #expect(try directory.snapshot().entries.count == 1)
        }
    }

    @Test(
        "with a file in place of one of its folders fails, and the error names it",
        arguments: ["segments", "indexes", "cache", "incoming", "downloads", "locks"],
        [false, true]
    )
    func fileForFolder(_ folder: String, _ creating: Bool) async throws {
        try await withStore { store, directory in
            try directory.remove("store/" + folder)
            try directory.write("x", to: "store/" + folder)
            let error = #expect(throws: BundleError.self) { try BundleStore(at: store.path, creating: creating) }
            #expect(error?.code == .storeUnavailable)
            #expect(error?.message == "\(store.path)/\(folder) is not a folder; move it away")
        }
    }

    @Test("in a folder that may not be written fails", .enabled(if: geteuid() != 0, "root may write everywhere"))
    func readOnly() async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: directory.path)
            defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path) }
            let error = #expect(throws: BundleError.self) { try directory.openStore() }
            #expect(error?.code == .storeUnavailable)
            #expect(error?.message.contains("permissions") == true)
        }
    }

    @Test("whose folder is a device's fails")
    func device() throws {
        for path in ["/dev/null", "/dev/null/store", ""] {
            let error = #expect(throws: BundleError.self) { try BundleStore(at: path, creating: true) }
            #expect(error?.code == .storeUnavailable)
        }
    }

    @Test("for filling removes files that a crash left unfinished, and the next pruning the unreferenced ones")
    func orphans() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            let before = try directory.snapshot(of: "store").entries.keys
            let identifier = FileIdentifier.random()
            try directory.write("x", to: "store/incoming/\(identifier.name)")
            try directory.write("x", to: "store/segments/\(identifier.name).segment")
            try directory.write("x", to: "store/indexes/\(identifier.name).index")
            try directory.write("x", to: "store/cache/\(identifier.name).body")
            try directory.write("part", to: "store/downloads/\(identifier.name).part")
            let reader = try BundleStore(at: directory.path(of: "store"))
            #expect(try directory.names(in: "incoming") == [identifier.name])
            let other = try directory.openStore()
            #expect(try directory.names(in: "incoming").isEmpty)
            #expect(try directory.names(in: "segments").count == 2)
            try reader.prune()
            let after = try directory.snapshot(of: "store").entries.keys
            #expect(Set(after) == Set(before).union(["downloads/\(identifier.name).part"]))
            #expect(try other.release("1.0.0").texts == BundleStore.sampleFiles.mapValues { $0 })
        }
    }

    @Test("isn't hindered by folders among its files")
    func strangers() async throws {
        try await withStore { store, directory in
            for folder in ["incoming", "segments", "indexes", "cache"] {
                try directory.write("x", to: "store/\(folder)/lost+found/x")
                try FileManager.default.createSymbolicLink(
                    atPath: directory.path(of: "store/\(folder)/dangling"),
                    withDestinationPath: "/nowhere/at/all"
                )
            }
            try directory.openStore().install("1.0.0")
            #expect(try store.prune().releases.isEmpty)
            #expect(FileManager.default.fileExists(atPath: directory.path(of: "store/segments/lost+found/x")))
        }
    }

    @Test("locks nothing when there is nothing to remove, so that no writer finds the store busy")
    func lock() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            try FileManager.default.removeItem(atPath: directory.path(of: "store/locks/.store.lock"))
            let other = try directory.openStore()
            #expect(try !directory.names(in: "locks").contains(".store.lock"))
            withExtendedLifetime(other) {}
        }
    }

    @Test("leaves the files of an install under way")
    func busy() async throws {
        try await withStore { store, directory in
            let ingest = try store.ingest(BundleStore.sampleFiles)
            #expect(try directory.openStore().snapshot.bundles.isEmpty)
            let outcome = try ingest.seal().commit(
                manifest("1.0.0"),
                mediaType: { _, _ in "text/html" },
                marking: .none,
                activating: true,
                replacing: false,
                waits: false
            ).outcome
            #expect(outcome == .installed)
            #expect(try directory.openStore().verify().isEmpty)
        }
    }

    @Test("and reading all of its content changes nothing in its folder, and locks nothing")
    func reading() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            try FileManager.default.removeItem(atPath: directory.path(of: "store/locks/.store.lock"))
            let before = try directory.snapshot(of: "store").entries.filter { !$0.key.hasSuffix("-shm") }
            let reader = try BundleStore(at: directory.path(of: "store"))
            #expect(try reader.verify().isEmpty)
            #expect(try reader.cachedResponses().isEmpty)
            #expect(try reader.storageUse().byteCount > 0)
            #expect(try reader.updateState(of: name("shop")) != nil)
            let after = try directory.snapshot(of: "store").entries.filter { !$0.key.hasSuffix("-shm") }
            #expect(Set(after.keys) == Set(before.keys))
            #expect(after.allSatisfy { before[$0.key] == $0.value })
        }
    }

    @Test("creates missing folders, such as those that a copy left out")
    func lostFolders() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            for folder in ["incoming", "downloads", "cache", "locks"] {
                try FileManager.default.removeItem(atPath: directory.path(of: "store/" + folder))
            }
            let other = try BundleStore(at: directory.path(of: "store"))
            #expect(try other.install("2.0.0") == .installed)
        }
    }

    @Test("again finds everything", arguments: [false, true])
    func again(_ creating: Bool) async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            let other = try BundleStore(at: directory.path(of: "store"), creating: creating)
            #expect(try other.release("1.0.0").contentDigest == store.release("1.0.0").contentDigest)
            #expect(try other.release("1.0.0").manifest == store.release("1.0.0").manifest)
        }
    }
}
