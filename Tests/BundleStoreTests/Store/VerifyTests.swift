import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Verifying a store")
struct VerifyTests {
    private static let old = ["index.html": "page 1", "shared.js": "shared"]
    private static let new = ["index.html": "page 2", "shared.js": "shared"]

    /// Lends the folder of a closed store with two versions.
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

    /// The path of the one file in a folder of the store that holds `text`.
    private func file(in folder: String, holding text: String, _ directory: TemporaryDirectory) throws -> String {
        let files = try directory.names(in: folder).map { "store/\(folder)/\($0)" }
        return try #require(try files.first { try directory.read($0).firstRange(of: Array(text.utf8)) != nil })
    }

    /// Replaces a file, as nothing in this program does: under its name, with other content.
    private func change(
        _ file: String,
        in directory: TemporaryDirectory,
        _ change: (inout [UInt8]) -> Void
    ) throws {
        var bytes = try directory.read(file)
        change(&bytes)
        try FileManager.default.removeItem(atPath: directory.path(of: file))
        try directory.write(bytes, to: file)
    }

    @Test("finds nothing wrong with a sound one, and counts every byte on the way")
    func sound() async throws {
        try await withClosedStore { directory in
            var last: (Int64, Int64) = (0, 0)
            let damage = try directory.openStore().verify { done, total in
                #expect(done >= last.0)
                last = (done, total)
            }
            #expect(damage.isEmpty)
            #expect(last == (24, 24))
        }
    }

    @Test("names the files whose content has changed, in every version that has them")
    func changedContent() async throws {
        try await withClosedStore { directory in
            let segment = try file(in: "segments", holding: "shared", directory)
            try change(segment, in: directory) { bytes in
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

    @Test("names the releases and the files of a segment that is missing, cut, or not a segment", arguments: 0..<3)
    func damagedSegment(_ kind: Int) async throws {
        try await withClosedStore { directory in
            let segment = try file(in: "segments", holding: "page 2", directory)
            switch kind {
            case 0: try FileManager.default.removeItem(atPath: directory.path(of: segment))
            case 1: try change(segment, in: directory) { $0.removeLast() }
            default: try change(segment, in: directory) { $0[0] ^= 1 }
            }
            let store = try directory.openStore()
            let damage = try store.verify()
            #expect(damage.contains { $0.description.hasPrefix("shop@2.0.0 index.html: ") })
            #expect(damage.contains { $0.description.hasPrefix("shop@2.0.0: segment ") })
            #expect(damage.allSatisfy { $0.version.string == "2.0.0" && $0.problem.contains("reinstall") })
            #expect(try store.release("2.0.0").texts == ["index.html": nil, "shared.js": "shared"])
            #expect(try store.release("1.0.0").texts == Self.old.mapValues { $0 })
        }
    }

    @Test("names the release of an index that is missing, cut, or changed anywhere", arguments: 0..<4)
    func damagedIndex(_ kind: Int) async throws {
        try await withClosedStore { directory in
            let active = try directory.openStore().release("2.0.0").index.identifier.name
            let index = "store/indexes/\(active).index"
            switch kind {
            case 0: try FileManager.default.removeItem(atPath: directory.path(of: index))
            case 1: try change(index, in: directory) { $0.removeLast() }
            case 2: try change(index, in: directory) { $0[$0.count - 1] ^= 1 }
            default: try change(index, in: directory) { $0[24] = 1 }
            }
            let damage = try directory.openStore().verify()
            let release = try #require(damage.first { $0.path == nil })
            #expect(release.description.hasPrefix("shop@2.0.0: "))
            #expect(release.problem.contains("index"))
            #expect(release.problem.contains("reinstall"))
            #expect(damage.allSatisfy { $0.version.string == "2.0.0" })
        }
    }

    @Test("sees damage that came after the store was opened")
    func later() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", Self.old)
            #expect(try store.verify().isEmpty)
            let segment = try file(in: "segments", holding: "page 1", directory)
            try FileManager.default.removeItem(atPath: directory.path(of: segment))
            #expect(try !store.verify().isEmpty)
        }
    }

    @Test("a release whose index is damaged is repaired by installing it again")
    func reinstallIndex() async throws {
        try await withClosedStore { directory in
            let active = try directory.openStore().release("2.0.0").index.identifier.name
            try change("store/indexes/\(active).index", in: directory) { $0.removeLast() }
            let store = try directory.openStore()
            #expect(try store.activeVersion() == nil)
            #expect(try store.install("2.0.0", Self.new, activating: false) == .installed)
            #expect(try store.activeVersion() == "2.0.0")
            #expect(try store.verify().isEmpty)
        }
    }

    @Test("a release whose content is damaged is repaired by installing it again with replacement")
    func reinstallContent() async throws {
        try await withClosedStore { directory in
            let segment = try file(in: "segments", holding: "page 2", directory)
            try change(segment, in: directory) { $0[$0.count - 1] ^= 1 }
            let store = try directory.openStore()
            #expect(try store.install("2.0.0", Self.new, replacing: true) == .installed)
            #expect(try store.verify().isEmpty)
            #expect(try directory.openStore().release("2.0.0").texts == Self.new.mapValues { $0 })
        }
    }

    @Test("damage doesn't spread to a new version that has the same content")
    func spreading() async throws {
        try await withClosedStore { directory in
            let segment = try file(in: "segments", holding: "shared", directory)
            try change(segment, in: directory) { $0[$0.count - 1] ^= 1 }
            let store = try directory.openStore()
            try store.install("3.0.0", Self.new)
            #expect(try store.verify().allSatisfy { $0.version.string != "3.0.0" })
        }
    }

    @Test("a bundle is removed with those of its releases that can't be opened")
    func removal() async throws {
        try await withClosedStore { directory in
            let active = try directory.openStore().release("2.0.0").index.identifier.name
            try FileManager.default.removeItem(atPath: directory.path(of: "store/indexes/\(active).index"))
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
                try change(index, in: directory) { bytes in
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
}
