import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Files that are changed under an open store")
struct RecheckTests {
    /// Changes a byte in place, as no code of this program does; mapped readers see it at once.
    private func flip(_ text: String, in directory: TemporaryDirectory) throws {
        try SegmentDamage.flip(text, inStore: directory.path(of: "store"))
    }

    private func text(_ path: String, _ store: BundleStore) throws -> String? {
        try store.snapshot.bundles[name("shop")]?.serving?.asset(at: BundlePath(path))?.contents
            .map { String(decoding: $0.array, as: UTF8.self) }
    }

    @Test("are no longer trusted, even if they were right when they were first read")
    func contents() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["a.txt": "content a", "b.txt": "content b"])
            #expect(try text("a.txt", store) == "content a")
            #expect(try !store.recheckFiles())
            try flip("content a", in: directory)
            #expect(try store.recheckFiles())
            #expect(try text("a.txt", store) == nil)
            #expect(try text("b.txt", store) == "content b")
            #expect(store.takeDamagedBundles().map { $0?.string } == ["shop"])
            #expect(try !store.recheckFiles())
        }
    }

    @Test("are valid again after they were repaired in place")
    func restored() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["a.txt": "content a"])
            try flip("content a", in: directory)
            #expect(try store.recheckFiles())
            #expect(try text("a.txt", store) == nil)
            try flip("content `", in: directory)
            #expect(try store.recheckFiles())
            #expect(try text("a.txt", store) == "content a")
        }
    }

    @Test("as an index, prevent the release from being opened")
    func index() async throws {
        try await withStore { store, directory in
            for version in ["1.0.0", "2.0.0"] { try store.install(version, ["a.txt": version]) }
            let index = try directory.path(of: directory.index(of: "2.0.0"))
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: index))
            try file.seek(toOffset: 200)
            try file.write(contentsOf: [0xAA])
            try file.close()
            #expect(try store.recheckFiles())
            #expect(store.snapshot.degradations == ["shop 2.0.0 can't be opened, 1.0.0 is served"])
            #expect(try text("a.txt", store) == "1.0.0")
        }
    }

    @Test("before it was opened are found by reading the indexes completely, once")
    func earlier() async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                for version in ["1.0.0", "2.0.0"] { try store.install(version, ["a.txt": version]) }
                #expect(try !store.checkIndexes())
            }
            try directory.change(directory.index(of: "2.0.0")) { $0[$0.count - 1] ^= 1 }
            let store = try directory.openStore()
            #expect(store.snapshot.degradations == [])
            #expect(try store.checkIndexes())
            #expect(store.snapshot.degradations == ["shop 2.0.0 can't be opened, 1.0.0 is served"])
            #expect(try !store.checkIndexes())
        }
    }

    @Test("as a cached response, are compared again, even if it was right when it was first read")
    func keptResponse() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["a.txt": "a"])
            let body = Array("kept body".utf8) + [UInt8](repeating: 0, count: CachedBodyWriter.memoryByteCount)
            try store.cache(body, of: name("shop"), version("1.0.0"))
            let response = try #require(try store.cachedResponses().first)
            #expect(store.body(of: response)?.array.count == body.count)
            let file = try directory.storeFile(in: "cache", holding: "kept body")
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: directory.path(of: file)))
            try handle.write(contentsOf: Array("KEPT".utf8))
            try handle.close()
            #expect(store.body(of: response) == nil)
            #expect(try store.cachedResponses().isEmpty)
        }
    }
}
