import BundleTesting
import Foundation
import Testing

@testable import BundleStore

/// A source with exactly these texts.
private struct TextSource: RepairSource {
    let texts: [String]

    func supply(_ repair: StoreRepair) async throws {
        for text in texts {
            for byte in text.utf8 { try withUnsafeBytes(of: byte) { try repair.append($0) } }
            _ = try repair.endContent(from: "texts")
        }
    }
}

@Suite("Repairing a store")
struct StoreRepairTests {
    private static let files = ["index.html": "page", "shared.js": "shared", "copy.js": "shared"]

    @discardableResult
    private func repair(
        _ directory: TemporaryDirectory,
        _ bundle: String? = nil,
        from sources: [any RepairSource] = [StoreRepairSource()]
    ) async throws -> RepairReport {
        let repair = try directory.openStore().beginRepair(of: try bundle.map(name))
        for source in sources { try await source.supply(repair) }
        return try repair.commit(waits: false)
    }

    private func lines(_ report: RepairReport) -> [String] {
        report.repaired.map { $0.description }
    }

    @Test("restores the right bytes in every version of every bundle that refers to them")
    func everywhere() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", Self.files)
            try store.install("2.0.0", ["index.html": "two", "shared.js": "shared"])
            try store.install("1.0.0", ["other.js": "shared"], of: "news")
            try directory.damage("shared")
            let report = try await repair(directory, "shop", from: [TextSource(texts: ["wrong", "shared"])])
            #expect(
                lines(report) == [
                    "repaired shop@2.0.0 shared.js from texts", "repaired shop@1.0.0 copy.js from texts",
                    "repaired shop@1.0.0 shared.js from texts",
                ]
            )
            #expect(report.damage == [])
            let repaired = try directory.openStore()
            #expect(try repaired.verify() == [])
            #expect(try repaired.release("1.0.0").texts == Self.files.mapValues { $0 })
            #expect(try repaired.release("1.0.0", of: "news").texts == ["other.js": "shared"])
            #expect(try directory.names(in: "incoming") == [])
        }
    }

    @Test("keeps states, pins, media types and everything but the locations of contents")
    func unchanged() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", Self.files)
            try store.install("2.0.0", Self.files)
            try store.setPinned(true, name("shop"), version("1.0.0"))
            func facts(_ store: BundleStore) -> [String] {
                store.snapshot.releases.flatMap { release in
                    ["\(release.version) \(release.state) \(release.isPinned) \(release.contentDigest)"]
                        + release.assets.map { "\($0.path) \($0.mediaType) \($0.digest)" }
                }
            }
            let before = facts(store)
            try directory.damage("page")
            try await repair(directory, from: [TextSource(texts: ["page"])])
            #expect(try facts(directory.openStore()) == before)
            #expect(try directory.openStore().verify() == [])
        }
    }

    @Test("of a missing, truncated or unrecognisable segment counts all its contents", arguments: 0..<3)
    func segment(_ kind: Int) async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", Self.files)
            let segment = try directory.storeFile(in: "segments", holding: "shared")
            switch kind {
            case 0: try directory.remove(segment)
            case 1: try directory.change(segment) { $0.removeLast() }
            default: try directory.change(segment) { $0[0] ^= 1 }
            }
            let damage = try directory.openStore().verify()
            #expect(Set(damage.compactMap(\.path)) == Set(Self.files.keys))
            let report = try await repair(directory, from: [TextSource(texts: ["page", "shared"])])
            #expect(report.repaired.count == 3)
            #expect(report.damage == [])
            #expect(try directory.openStore().verify() == [])
            #expect(try directory.openStore().release("1.0.0").texts == Self.files.mapValues { $0 })
        }
    }

    @Test("takes the remaining contents from a truncated segment")
    func restOfSegment() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["a": "first", "b": "second", "c": "third"])
            let segment = try directory.storeFile(in: "segments", holding: "firstsecondthird")
            try directory.change(segment) { $0.removeLast() }
            let report = try await repair(directory)
            #expect(lines(report) == ["repaired shop@1.0.0 a from store", "repaired shop@1.0.0 b from store"])
            #expect(report.damage.compactMap(\.path) == ["c"])
            #expect(try directory.openStore().release("1.0.0").texts == ["a": "first", "b": "second", "c": nil])
        }
    }

    @Test("takes contents that another version or bundle has elsewhere")
    func elsewhere() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["index.html": "one", "shared.js": "shared"])
            try directory.damage("shared")
            // Damaged contents aren't reused, so there is a second copy now.
            try directory.openStore().install("1.0.0", ["other.js": "shared"], of: "news")
            let report = try await repair(directory, "shop")
            #expect(lines(report) == ["repaired shop@1.0.0 shared.js from store"])
            #expect(report.damage == [])
            #expect(try directory.openStore().verify() == [])
        }
    }

    @Test("leaves the store unchanged if nothing helps, and reports the damage")
    func nothing() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", Self.files)
            try directory.damage("page")
            let before = try directory.storeFiles()
            let damage = try directory.openStore().verify()
            let report = try await repair(
                directory,
                from: [StoreRepairSource(), TextSource(texts: ["pagf", "", "pages"])]
            )
            #expect(report.repaired.isEmpty)
            #expect(report.damage == damage)
            #expect(report.damage.map(\.path) == ["index.html"])
            #expect(try directory.storeFiles() == before)
        }
    }

    @Test("of an intact store does nothing")
    func sound() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", Self.files)
            let before = try directory.storeFiles()
            let report = try await repair(directory, from: [StoreRepairSource(), TextSource(texts: ["page"])])
            #expect(report.repaired.isEmpty && report.damage.isEmpty)
            #expect(try directory.storeFiles() == before)
        }
    }

    @Test("doesn't hide the damage of an index, and says that contents don't repair it", arguments: [40, 150, -1])
    func index(_ position: Int) async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", Self.files)
            try store.install("2.0.0", ["shared.js": "shared"])
            try directory.change(directory.index(of: "1.0.0")) { bytes in
                bytes[position < 0 ? bytes.count + position : position] ^= 1
            }
            try directory.damage("shared")
            let report = try await repair(directory, from: [TextSource(texts: ["shared", "page"])])
            #expect(lines(report) == ["repaired shop@2.0.0 shared.js from texts"])
            #expect(report.damage.map { $0.version?.string } == ["1.0.0"] && report.damage[0].path == nil)
            #expect(report.damage.first?.remedy == .repair(.release))
            #expect(try directory.openStore().verify() == report.damage)
        }
    }

    @Test("doesn't wait for a process that works on an affected bundle, and then leaves nothing")
    func busy() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", Self.files)
            try directory.damage("page")
            let segments = try directory.names(in: "segments")
            let lock = try StoreLock.take(store.layout, bundle: name("shop"), .exclusive, waits: false)
            var code: BundleError.Code?
            do {
                try await repair(directory, from: [TextSource(texts: ["page"])])
            } catch let error as BundleError {
                code = error.code
            }
            withExtendedLifetime(lock) {}
            #expect(code == .storeBusy)
            #expect(try directory.names(in: "segments") == segments)
            #expect(try directory.names(in: "incoming") == [])
        }
    }

    @Test("keeps the store from being pruned meanwhile, and installs without a source")
    func meanwhile() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", Self.files)
            try directory.damage("page")
            let repair = try directory.openStore().beginRepair()
            try await TextSource(texts: ["page"]).supply(repair)
            #expect(throws: BundleError.self) { try store.prune() }
            try directory.openStore().install("1.0.0", ["index.html": "page"], replacing: true)
            try directory.openStore().install("2.0.0", ["index.html": "two"])
            let report = try repair.commit(waits: false)
            // The replacement of the damaged release is kept.
            #expect(report.repaired.isEmpty && report.damage.isEmpty)
            #expect(try directory.openStore().verify() == [])
            #expect(try directory.openStore().release("1.0.0").texts == ["index.html": "page"])
            #expect(try directory.openStore().activeVersion() == "2.0.0")
        }
    }

    @Test("a process that has the store open sees the right bytes after a refresh")
    func otherProcess() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", Self.files)
            try directory.damage("page")
            let other = try directory.openStore()
            #expect(try other.release("1.0.0").texts["index.html"] == .some(nil))
            try await repair(directory, from: [TextSource(texts: ["page"])])
            #expect(try other.refresh())
            #expect(try other.release("1.0.0").texts == Self.files.mapValues { $0 })
        }
    }

    @Test("repairs random damage from offered contents, and changes nothing else", arguments: 0..<6 as Range<UInt64>)
    func random(_ seed: UInt64) async throws {
        try await withStore { store, directory in
            var random = SeededGenerator(seed: seed)
            for number in 0..<10 { try store.installRandomRelease(number, using: &random) }
            let texts = Dictionary(
                uniqueKeysWithValues: store.snapshot.releases.map { ("\($0.name)@\($0.version)", $0.texts) }
            )
            for segment in try directory.names(in: "segments") {
                try directory.change("store/segments/\(segment)") { bytes in
                    guard bytes.count > 64 else { return }
                    for _ in 0..<3 { bytes[Int.random(in: 64..<bytes.count, using: &random)] ^= 1 }
                }
            }
            let damaged = try directory.openStore().verify()
            #expect(!damaged.isEmpty)
            let offered = Set(texts.values.flatMap { $0.values.compactMap(\.self) }).sorted()
            let report = try await repair(directory, from: [StoreRepairSource(), TextSource(texts: offered)])
            #expect(report.damage == [])
            #expect(report.repaired.count == damaged.count)
            let repaired = try directory.openStore()
            #expect(try repaired.verify() == [])
            for release in repaired.snapshot.releases {
                #expect(release.texts == texts["\(release.name)@\(release.version)"])
            }
        }
    }

    @Test("that finds no damage makes files readable again that the disk failed to read once")
    func transient() async throws {
        try await withTemporaryDirectory { directory in
            let store = try directory.openStore()
            try store.install("1.0.0", ["index.html": "page 1"])
            let segment = "store/segments/\(try #require(directory.names(in: "segments").first))"
            let sound = try Data(contentsOf: URL(fileURLWithPath: directory.path(of: segment)))
            try SegmentDamage.flip("page 1", inStore: directory.path(of: "store"))
            #expect(try store.release("1.0.0").texts == ["index.html": nil])
            // Another file of the same name, as from a copy: the open file doesn't change.
            try sound.write(to: URL(fileURLWithPath: directory.path(of: segment)), options: .atomic)
            #expect(try store.release("1.0.0").texts == ["index.html": nil])
            let revision = store.snapshot.revision
            let report = try store.beginRepair(of: name("shop")).commit(waits: false)
            #expect(report.damage == [])
            #expect(report.repaired.isEmpty)
            #expect(store.snapshot.revision != revision)
            #expect(try store.release("1.0.0").texts == ["index.html": "page 1"])
        }
    }
}
