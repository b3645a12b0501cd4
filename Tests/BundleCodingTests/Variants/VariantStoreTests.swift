import BundleTesting
import Foundation
import Testing

@testable import BundleCoding
@testable import BundleStore

@Suite("VariantStore")
struct VariantStoreTests {
    private static let files = ["a.js": "one", "b.js": "two", "c.js": "three"]

    private func key(_ text: String, _ coding: ContentCoding = .brotli) -> VariantKey {
        VariantKey(Digest(of: Array(text.utf8)), coding)
    }

    @Test("a saved form can be sent at once, and after reopening the store once it is loaded")
    func keeping() async throws {
        try await withStore { store, directory in
            let variants = VariantStore(store)
            try variants.save([1, 2, 3], as: key("one"))
            #expect(variants.contents(of: key("one").content)[key("one")]?.array == [1, 2, 3])
            #expect(variants.contents(of: key("two").content).isEmpty)
            #expect(try directory.names(in: "variants") == ["\(key("one").content.hex).br"])
            #expect(try directory.names(in: "incoming").isEmpty)

            let later = VariantStore(try directory.openStore())
            #expect(later.contents(of: key("one").content).isEmpty)
            #expect(!later.isSettled(key("one")))
            #expect(later.load(key("one")))
            #expect(later.contents(of: key("one").content)[key("one")]?.array == [1, 2, 3])
            #expect(!later.load(key("one", .gzip)))
        }
    }

    @Test("what was loaded from its file stays, until that is changed")
    func loaded() async throws {
        try await withStore { store, directory in
            try VariantStore(store).save([1, 2, 3], as: key("one"))
            let later = VariantStore(try directory.openStore())
            #expect(later.load(key("one")))
            later.removeChanged()
            #expect(later.contents(of: key("one").content)[key("one")]?.array == [1, 2, 3])
            #expect(try directory.names(in: "variants").count == 1)
        }
    }

    @Test("a coding that doesn't help is remembered, and no form of it is sent")
    func futile() async throws {
        try await withStore { store, directory in
            try VariantStore(store).save([], as: key("one"))
            let later = VariantStore(try directory.openStore())
            #expect(later.load(key("one")))
            #expect(later.isSettled(key("one")))
            #expect(later.contents(of: key("one").content).isEmpty)
        }
    }

    @Test("the generation increases with the forms that can be chosen")
    func generation() async throws {
        try await withStore { store, _ in
            let variants = VariantStore(store)
            #expect(variants.generation == 0)
            try variants.save([1], as: key("one"))
            let first = variants.generation
            #expect(first > 0)
            _ = variants.contents(of: key("one").content)
            _ = variants.load(key("one"))
            #expect(variants.generation == first)
            variants.adopt(ByteSlice(copying: [1]), as: key("two"))
            #expect(variants.generation > first)
        }
    }

    /// An event that damages a variant's file.
    enum Damage: String, CaseIterable {
        case emptied, torn, headOnly, flippedByte, flippedHead, longer, otherCoding, otherContent
    }

    @Test("a damaged or torn file counts as absent and is removed", arguments: Damage.allCases)
    func damage(_ damage: Damage) async throws {
        try await withStore { store, directory in
            try VariantStore(store).save(Array("coded bytes".utf8), as: key("one"))
            let file = URL(fileURLWithPath: directory.path(of: "store/variants/\(key("one").fileName)"))
            var bytes = [UInt8](try Data(contentsOf: file))
            var name = key("one").fileName
            switch damage {
            case .emptied: bytes = []
            case .torn: bytes.removeLast()
            case .headOnly: bytes.removeLast(bytes.count - VariantFormat.headerByteCount)
            case .flippedByte: bytes[bytes.count - 1] ^= 1
            case .flippedHead: bytes[40] ^= 1
            case .longer: bytes.append(0)
            case .otherCoding: name = key("one", .gzip).fileName
            case .otherContent: name = key("two").fileName
            }
            try FileManager.default.removeItem(at: file)
            try Data(bytes).write(to: URL(fileURLWithPath: directory.path(of: "store/variants/\(name)")))
            let variants = VariantStore(store)
            let key = try #require(VariantKey(fileName: name))
            #expect(!variants.load(key))
            #expect(variants.contents(of: key.content).isEmpty)
            #expect(try directory.names(in: "variants").isEmpty)
        }
    }

    @Test("over the quota the least recently used forms are removed, as files and from memory")
    func quota() async throws {
        try await withStore { store, directory in
            let size = VariantFormat.headerByteCount + 100
            let variants = VariantStore(store, quota: Int64(2 * size))
            let bytes = [UInt8](repeating: 1, count: 100)
            try variants.save(bytes, as: key("one"))
            try variants.save(bytes, as: key("two"))
            _ = variants.contents(of: key("one").content)
            try variants.save(bytes, as: key("three"))
            #expect(variants.contents(of: key("two").content).isEmpty)
            #expect(!variants.isSettled(key("two")))
            #expect(Set(try directory.names(in: "variants")) == [key("one").fileName, key("three").fileName])
            try variants.save([UInt8](repeating: 1, count: 1_000), as: key("large"))
            #expect(try directory.names(in: "variants").isEmpty)
        }
    }

    @Test("existing files count towards the quota, the oldest are removed first")
    func quotaOfEarlierFiles() async throws {
        try await withStore { store, directory in
            let bytes = [UInt8](repeating: 1, count: 100)
            try VariantStore(store).save(bytes, as: key("one"))
            try VariantStore(store).save(bytes, as: key("two"))
            let old = Date(timeIntervalSince1970: 1_000)
            VariantFolder(layout: store.layout).touch(key("two"), at: old)
            let variants = VariantStore(store, quota: Int64(2 * (VariantFormat.headerByteCount + 100)))
            try variants.save(bytes, as: key("three"))
            #expect(Set(try directory.names(in: "variants")) == [key("one").fileName, key("three").fileName])
        }
    }

    @Test("a smaller quota applies from the start, and to loaded forms")
    func smallerQuota() async throws {
        try await withStore { store, directory in
            let (size, bytes) = (Int64(VariantFormat.headerByteCount + 100), [UInt8](repeating: 1, count: 100))
            let other = VariantStore(store)
            for text in ["one", "two", "three"] { try other.save(bytes, as: key(text)) }
            for (index, text) in ["one", "two", "three"].enumerated() {
                let date = Date(timeIntervalSince1970: 1_000 + Double(index))
                VariantFolder(layout: store.layout).touch(key(text), at: date)
            }
            let variants = VariantStore(store, quota: 2 * size)
            #expect(Set(try directory.names(in: "variants")) == [key("two").fileName, key("three").fileName])
            try other.save(bytes, as: key("four"))
            #expect(variants.load(key("four")))
            #expect(Set(try directory.names(in: "variants")) == [key("three").fileName, key("four").fileName])
            try other.save([UInt8](repeating: 1, count: 1_000), as: key("large"))
            #expect(!variants.load(key("large")))
        }
    }

    @Test("a file is removed when the publisher's own form replaces it, and no longer counts")
    func adopted() async throws {
        try await withStore { store, directory in
            let bytes = [UInt8](repeating: 1, count: 100)
            let variants = VariantStore(store, quota: Int64(VariantFormat.headerByteCount + 100))
            try variants.save(bytes, as: key("one"))
            variants.adopt(ByteSlice(copying: [1]), as: key("one"))
            #expect(try directory.names(in: "variants").isEmpty)
            try variants.save(bytes, as: key("two"))
            #expect(variants.contents(of: key("one").content)[key("one")]?.array == [1])
            #expect(try directory.names(in: "variants") == [key("two").fileName])
        }
    }

    @Test("while a release can't be opened, its variants are kept, and count")
    func damagedRelease() async throws {
        try await withStore { store, directory in
            let (size, bytes) = (Int64(VariantFormat.headerByteCount + 100), [UInt8](repeating: 1, count: 100))
            let variants = VariantStore(store, quota: size)
            try variants.save(bytes, as: key("one"))
            let damage = StoreDamage(bundle: nil, version: nil, "torn", nil)
            variants.removeSuperfluous(in: StoreSnapshot(bundles: [:], damage: [damage], generation: 1, revision: 1))
            #expect(variants.contents(of: key("one").content)[key("one")]?.array == bytes)
            try variants.save(bytes, as: key("two"))
            #expect(try directory.names(in: "variants") == [key("two").fileName])
        }
    }

    @Test("forms of no file of any version are removed after a refresh, and by any process that prunes")
    func superfluous() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["a.js": "one", "b.js": "two"])
            try store.install("2.0.0", ["a.js": "three"])
            let variants = VariantStore(store)
            for text in ["one", "two", "three", "none"] { try variants.save([1], as: key(text)) }
            variants.removeSuperfluous(in: store.snapshot)
            #expect(try directory.names(in: "variants").count == 3)
            #expect(variants.contents(of: key("none").content).isEmpty)
            #expect(!variants.contents(of: key("one").content).isEmpty)

            try directory.openStore().prune(keeping: 0)
            #expect(try directory.names(in: "variants") == [key("three").fileName])
            try Data([1]).write(to: URL(fileURLWithPath: directory.path(of: "store/variants/litter")))
            #expect(try store.prune().fileCount == 1)
            #expect(try directory.names(in: "variants") == [key("three").fileName])
        }
    }

    @Test("a delta is removed with its dictionary")
    func dictionaries() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["a.js": "one"])
            try store.install("2.0.0", ["a.js": "two"])
            let delta = VariantKey(key("two").content, from: key("one").content)
            let variants = VariantStore(store)
            try variants.save([1], as: delta)
            variants.removeSuperfluous(in: store.snapshot)
            #expect(try directory.names(in: "variants") == [delta.fileName])
            #expect(variants.contents(of: delta.content)[delta]?.array == [1])
            try store.prune(keeping: 0)
            #expect(try directory.names(in: "variants").isEmpty)
        }
    }

    @Test("they are counted in the storage report, and not in the quota of the store")
    func storage() async throws {
        try await withStore { store, _ in
            let use = try store.storageUse()
            try VariantStore(store).save([UInt8](repeating: 1, count: 100), as: key("one"))
            #expect(try store.storageReport().variantByteCount == Int64(VariantFormat.headerByteCount + 100))
            #expect(try store.storageUse() == use)
        }
    }

    @Test("while the store is being pruned nothing is written")
    func busy() async throws {
        try await withStore { store, directory in
            let variants = VariantStore(store)
            try StoreLock.take(store.layout, bundle: nil, .exclusive, waits: false).whileHeld {
                for attempt in [{ try variants.save([1], as: key("one")) }, variants.checkNotBusy] {
                    let error = #expect(throws: BundleError.self) { try attempt() }
                    #expect(error?.code == .storeBusy)
                }
            }
            try variants.checkNotBusy()
            #expect(!variants.isSettled(key("one")))
        }
    }
}
