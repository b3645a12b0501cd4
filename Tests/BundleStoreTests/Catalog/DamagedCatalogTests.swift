import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("A damaged catalog")
struct DamagedCatalogTests {
    /// Provides the folder of a closed store and its catalog's bytes.
    private func withCatalog(_ body: (TemporaryDirectory, [UInt8]) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                try store.install("1.0.0")
                try store.install("2.0.0", ["index.html": "two"])
                try store.cache([1, 2, 3], of: name("shop"), version("2.0.0"))
            }
            // The database has all that the log has, and the database is what is to be damaged.
            for suffix in ["-wal", "-shm"] {
                try FileManager.default.removeItem(atPath: directory.path(of: "store/catalog.sqlite" + suffix))
            }
            try body(directory, try directory.read("store/catalog.sqlite"))
        }
    }

    /// Reads everything in the catalog. It may only throw a ``BundleError``.
    private func probe(_ directory: TemporaryDirectory) throws {
        do {
            let store = try directory.openStore()
            _ = try store.verify()
            for response in try store.cachedResponses() { _ = store.body(of: response) }
            _ = try store.updateState(of: name("shop"))
        } catch let error as BundleError {
            #expect([.storeUnavailable, .storeDamaged].contains(error.code), "\(error)")
        }
    }

    @Test("that isn't a database is refused, and the error names the store")
    func notADatabase() async throws {
        try await withCatalog { directory, _ in
            try directory.write(String(repeating: "not a database. ", count: 1_000), to: "store/catalog.sqlite")
            let error = #expect(throws: BundleError.self) { try directory.openStore() }
            #expect(error?.code == .storeDamaged)
            #expect(error?.message.contains(directory.path(of: "store")) == true)
        }
    }

    @Test("that is missing or empty beside content is refused, and nothing is deleted", arguments: [true, false])
    func missing(_ isEmpty: Bool) async throws {
        try await withCatalog { directory, _ in
            let segments = try directory.names(in: "segments")
            let catalog = directory.path(of: "store/catalog.sqlite")
            try FileManager.default.removeItem(atPath: catalog)
            if isEmpty { try directory.write([UInt8](), to: "store/catalog.sqlite") }
            for creating in [true, false] {
                let error = #expect(throws: BundleError.self) {
                    try BundleStore(at: directory.path(of: "store"), creating: creating)
                }
                #expect(error?.code == .storeDamaged)
            }
            #expect(try directory.names(in: "segments") == segments)
        }
    }

    @Test("with one damaged row reports which, serves the others, and the bundle can be removed")
    func badRow() async throws {
        try await withCatalog { directory, bytes in
            let digest = try directory.openStore().release("1.0.0").contentDigest.hex
            let place = try #require(bytes.firstRange(of: Array(digest.utf8)))
            var damaged = bytes
            damaged.replaceSubrange(place, with: repeatElement(UInt8(ascii: "z"), count: place.count))
            try directory.write(damaged, to: "store/catalog.sqlite")
            let store = try directory.openStore()
            #expect(store.snapshot.damage.map(\.version?.string) == ["1.0.0"])
            #expect(try store.activeVersion() == "2.0.0")
            try store.install("1.0.0", of: "news")
            try store.remove(name("shop"), nil)
            #expect(try store.verify().isEmpty)
        }
    }

    @Test("never ends the process, wherever it is truncated", arguments: 0..<10)
    func truncation(_ tenth: Int) async throws {
        try await withCatalog { directory, bytes in
            try directory.write(bytes.prefix(bytes.count * tenth / 10), to: "store/catalog.sqlite")
            try probe(directory)
        }
    }

    @Test("never ends the process, whatever is changed in it", arguments: 0..<4 as Range<UInt64>)
    func randomChanges(_ seed: UInt64) async throws {
        try await withCatalog { directory, bytes in
            let files = try directory.snapshot(of: "store").files.keys.filter { !$0.hasPrefix("catalog") }
            let contents = try files.map { ("store/" + $0, try directory.read("store/" + $0)) }
            // Most of the file is empty; only the other bytes are worth changing.
            let positions = bytes.indices.filter { bytes[$0] != 0 }
            var random = SeededGenerator(seed: seed)
            for _ in 0..<60 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    guard let position = positions.randomElement(using: &random) else { continue }
                    damaged[position] = UInt8.random(in: 0...255, using: &random)
                }
                try directory.write(damaged, to: "store/catalog.sqlite")
                for suffix in ["-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: directory.path(of: "store/catalog.sqlite" + suffix))
                }
                for (file, content) in contents { try directory.write(content, to: file) }
                try probe(directory)
            }
        }
    }
}
