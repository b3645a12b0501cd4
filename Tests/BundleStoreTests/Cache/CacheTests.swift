import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Cached responses")
struct CacheTests {
    private static let url = "https://m.example.com/shop/api"

    private func withShop(_ body: (BundleStore, TemporaryDirectory, TestClock) throws -> Void) async throws {
        let clock = TestClock()
        try await withStore(clock: clock) { store, directory in
            try store.install("1.0.0")
            try body(store, directory, clock)
        }
    }

    @discardableResult
    private func keep(
        _ body: [UInt8],
        in store: BundleStore,
        url: String = url,
        of bundle: String = "shop",
        version text: String = "1.0.0",
        variant: Int64 = 0
    ) throws -> Bool {
        try store.cache(body, url: url, of: name(bundle), version(text), digest: variant)
    }

    /// A body that is kept in a file.
    private static let long = [UInt8](repeating: 3, count: CachedBodyWriter.memoryByteCount + 1)

    @Test("are found by their URL, with their body, from any process", arguments: [0, 1, 65_536, 65_537, 3 << 20])
    func roundTrip(_ count: Int) async throws {
        try await withShop { store, directory, clock in
            let body = [UInt8](repeating: 3, count: count)
            #expect(try keep(body, in: store))
            let other = try directory.openStore()
            let response = try #require(try other.cachedResponses(for: Self.url).first)
            #expect((response.url, response.bundle.string, response.version.string) == (Self.url, "shop", "1.0.0"))
            #expect((response.metadata, response.byteCount, response.storedAt) == ([1, 2], Int64(count), clock.date))
            #expect(other.body(of: response)?.digest == Digest(of: body))
            #expect(try other.cachedResponses(for: "https://m.example.com/other").isEmpty)
            #expect(try directory.names(in: "cache").count == (count > CachedBodyWriter.memoryByteCount ? 1 : 0))
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }

    @Test("are listed latest first")
    func order() async throws {
        try await withShop { store, _, clock in
            try keep([1], in: store)
            clock.advance(by: .seconds(1))
            try keep([2, 2], in: store, url: "https://m.example.com/b")
            try keep([3, 3, 3], in: store, variant: 1)
            #expect(try store.cachedResponses().map(\.byteCount) == [3, 2, 1])
            #expect(try store.cachedResponses(for: Self.url).map(\.byteCount) == [3, 1])
        }
    }

    @Test("that are replaced are removed with their bodies")
    func replaced() async throws {
        try await withShop { store, directory, _ in
            try keep(Self.long, in: store)
            let old = try store.cachedResponses()
            try keep([2, 2], in: store)
            #expect(try store.cachedResponses().map(\.byteCount) == [2])
            #expect(try directory.names(in: "cache").isEmpty)
            #expect(store.body(of: old[0]) == nil)
            try keep(Self.long, in: store)
            #expect(try directory.names(in: "cache").count == 1)
            try keep([4], in: store, variant: 1)
            #expect(try store.cachedResponses().count == 2)
        }
    }

    @Test("can change their metadata")
    func update() async throws {
        try await withShop { store, _, _ in
            try keep([1], in: store)
            let old = try store.cachedResponses()[0]
            let selection = CachedSelection(selectors: "y", digest: 7, alternative: 8)
            store.update(store.row(of: old), metadata: [9], selection: selection)
            let response = try store.cachedResponses()[0]
            #expect((response.metadata, response.selection) == ([9], selection))
            #expect(store.body(of: response)?.array == [1])
        }
    }

    @Test("are dropped one by one, and dropping them again is not an error")
    func drop() async throws {
        try await withShop { store, directory, _ in
            try keep(Self.long, in: store)
            let response = try store.cachedResponses()[0]
            for _ in 0..<2 { store.drop(store.row(of: response)) }
            #expect(try store.cachedResponses().isEmpty)
            #expect(try directory.names(in: "cache").isEmpty)
        }
    }

    @Test("are cleared for one bundle or for all")
    func clear() async throws {
        try await withShop { store, directory, _ in
            try store.install("1", of: "news")
            try keep([1], in: store)
            try keep([1, 2], in: store, variant: 1)
            try keep([1, 2, 3], in: store, of: "news", version: "1")
            #expect(try store.clearCache(of: name("shop")) == (2, 3))
            #expect(try store.cachedResponses().map(\.bundle.string) == ["news"])
            #expect(try store.clearCache() == (1, 3))
            #expect(try directory.names(in: "cache").isEmpty)
            #expect(try store.clearCache() == (0, 0))
        }
    }

    @Test("are dropped when another version of their bundle becomes active, in any way")
    func activation() async throws {
        try await withShop { store, _, _ in
            try store.install("1", of: "news")
            try keep([1], in: store, of: "news", version: "1")
            let changes: [(String, () throws -> Void)] = [
                ("1.0.0", { try store.install("2.0.0", ["index.html": "two"]) }),
                ("2.0.0", { try store.rollBack(name("shop")) }),
                ("1.0.0", { try store.activate(name("shop"), version("2.0.0")) }),
                ("2.0.0", { try store.install("1.0.0") }),
            ]
            for (active, change) in changes {
                try keep([1, 2], in: store, version: active)
                try change()
                #expect(try store.cachedResponses().map(\.bundle.string) == ["news"])
            }
        }
    }

    @Test("are kept when the same version is activated again, or another is installed without activation")
    func sameVersion() async throws {
        try await withShop { store, _, _ in
            try keep([1], in: store)
            try store.activate(name("shop"), version("1.0.0"))
            try store.install("2.0.0", ["index.html": "two"], activating: false)
            try store.install("1.0.0")
            let response = try #require(try store.cachedResponses().first)
            #expect(store.body(of: response) != nil)
        }
    }

    @Test("are removed with their bundle, and their bodies with the next prune")
    func removal() async throws {
        try await withShop { store, directory, _ in
            try keep(Self.long, in: store)
            try store.remove(name("shop"), nil)
            #expect(try store.cachedResponses().isEmpty)
            _ = try store.prune()
            #expect(try directory.names(in: "cache").isEmpty)
        }
    }

    @Test("with a body that is missing or has another length have no body")
    func damagedBody() async throws {
        try await withShop { store, directory, _ in
            try keep(Self.long, in: store)
            let response = try store.cachedResponses()[0]
            let file = "store/cache/" + (try directory.names(in: "cache")[0])
            for bytes in [[], [1, 2], Self.long + [4]] as [[UInt8]] {
                try directory.write(bytes, to: file)
                #expect(store.body(of: response) == nil)
            }
            try FileManager.default.removeItem(atPath: directory.path(of: file))
            #expect(store.body(of: response) == nil)
        }
    }

    /// Damages the only body in the way given by `kind`.
    private func damageBody(_ kind: Int, in directory: TemporaryDirectory) throws {
        let file = "store/cache/" + (try directory.names(in: "cache")[0])
        switch kind {
        case 0: try directory.change(file) { $0[1] ^= 1 }
        case 1: try directory.change(file) { $0.removeLast() }
        case 2: try directory.change(file) { $0.append(0) }
        default: try directory.remove(file)
        }
    }

    @Test("that are damaged have no body, are reported once, and are dropped", arguments: 0..<4)
    func damage(_ kind: Int) async throws {
        try await withShop { store, directory, _ in
            try keep(Self.long, in: store)
            let log = DamageLog()
            let other = try BundleStore(at: store.path, damageHandler: log.handler)
            let response = try other.cachedResponses()[0]
            try damageBody(kind, in: directory)
            for _ in 0..<2 { #expect(other.body(of: response) == nil) }
            #expect(log.damage.map(\.problem.isEmpty) == [false])
            #expect(log.damage.first?.description.hasPrefix("shop@1.0.0: the response kept for \(Self.url) ") == true)
            #expect(try other.cachedResponses().isEmpty)
            #expect(try directory.names(in: "cache").isEmpty)
        }
    }

    @Test("that another process has dropped aren't damaged")
    func droppedElsewhere() async throws {
        try await withShop { store, directory, _ in
            try keep([1, 2, 3], in: store)
            let log = DamageLog()
            let other = try BundleStore(at: store.path, damageHandler: log.handler)
            let response = try other.cachedResponses()[0]
            store.drop(store.row(of: response))
            store.awaitCache()
            #expect(other.body(of: response) == nil)
            #expect(log.damage == [])
            #expect(try other.verify() == [])
        }
    }

    @Test("are compared with their digest on first read, and again when their files have changed")
    func firstRead() async throws {
        try await withShop { store, directory, _ in
            try keep(Self.long, in: store)
            let response = try store.cachedResponses()[0]
            let other = try directory.openStore()
            #expect(other.isUnread(response))
            #expect(other.body(of: response)?.digest == Digest(of: Self.long))
            #expect(!other.isUnread(response))
            try damageBody(0, in: directory)
            #expect(other.body(of: response) == nil)
            #expect(try directory.openStore().body(of: response) == nil)
        }
    }

    @Test("are verified with the rest, and a repair drops the damaged ones", arguments: 0..<4)
    func verifying(_ kind: Int) async throws {
        try await withShop { store, directory, _ in
            try keep(Self.long, in: store)
            #expect(try store.verify() == [])
            try damageBody(kind, in: directory)
            try keep([4, 5], in: store, url: "https://m.example.com/b")
            try store.install("1.0.0", of: "news")
            let damage = try store.verify()
            #expect(damage.map { $0.version?.string } == ["1.0.0"])
            #expect(damage.map(\.remedy) == [.repair(.response)])
            #expect(try store.verify(name("shop")) == damage)
            #expect(try store.verify(name("news")) == [])
            let report = try store.beginRepair().commit(waits: false)
            #expect(report.repaired.map(\.description) == ["dropped shop@1.0.0 the response kept for \(Self.url)"])
            #expect(report.damage == [])
            #expect(try store.verify() == [])
            #expect(try store.cachedResponses().map(\.byteCount) == [2])
            #expect(try directory.names(in: "cache").isEmpty)
        }
    }

    @Test(
        "whose bodies in the catalog are damaged are reported, and dropped",
        arguments: [
            "UPDATE cachedBody SET content = x'010204'", "UPDATE cachedBody SET content = 'x'",
            "DELETE FROM cachedBody",
            "UPDATE cachedBody SET content = NULL, file = '../../x'",
        ]
    )
    func damagedContent(_ change: String) async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                try store.install("1.0.0")
                try keep([1, 2, 3], in: store)
            }
            try directory.changeCatalog(change)
            let log = DamageLog()
            let store = try BundleStore(at: directory.path(of: "store"), damageHandler: log.handler)
            let response = try #require(try store.cachedResponses().first)
            #expect(try store.verify().count == 1)
            #expect(store.contents(of: response) == nil)
            #expect(log.damage.count == 1)
            #expect(try store.cachedResponses().isEmpty)
        }
    }

    @Test(
        "whose rows are damaged count as absent, don't affect others, and are dropped by a repair",
        arguments: [
            "byteCount = 'x'", "byteCount = x'00'", "parts = 'x'", "parts = zeroblob(57)", "storedAt = 'x'",
            "url = x'ff'", "key = x'00'", "key = 7", "selectors = x'ff'", "selection = 'x'", "alternative = 'x'",
            "version = 'zz'", "bundle = x'ff'", "metadata = 'x'", "byteCount = 9223372036854775807",
            "byteCount = -9223372036854775808",
        ]
    )
    func damagedRow(_ change: String) async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                try store.install("1.0.0")
                for number in 1...3 { try keep([1, 2, 3], in: store, url: "https://m.example.com/\(number)") }
            }
            try directory.changeCatalog("UPDATE cachedResponse SET \(change) WHERE id = 2")
            let store = try directory.openStore()
            let intact = try store.cachedResponses().filter { $0.id != 2 }
            #expect(intact.compactMap { store.body(of: $0) }.count == 2)
            #expect(try store.verify().count == 1)
            #expect(try store.storageUse().byteCount > 0)
            try store.setQuota(1 << 50)
            #expect(try keep([4], in: store))
            let report = try store.beginRepair().commit(waits: false)
            #expect(report.repaired.count == 1)
            #expect(try store.verify() == [])
            #expect(try store.cachedResponses().count == 3)
            #expect(try store.clearCache().count == 3)
        }
    }

    @Test("are kept within the limits, and the oldest are dropped first", arguments: [(3, 100_000), (100, 3 * 516)])
    func limits(_ count: Int, _ bytes: Int) async throws {
        try await withShop { _, directory, clock in
            var limits = CacheLimits()
            limits.maximumCount = count
            limits.maximumByteCount = Int64(bytes)
            let store = try directory.openStore(clock: clock, cacheLimits: limits)
            for number in 1...5 {
                clock.advance(by: .seconds(1))
                try keep([1, 2, 3, 4], in: store, url: "https://m.example.com/\(number)")
            }
            let urls = try store.cachedResponses().map(\.url)
            #expect(urls == ["https://m.example.com/5", "https://m.example.com/4", "https://m.example.com/3"])
        }
    }

    @Test("that were used are spared by eviction, and those that were used once leave before them")
    func spared() async throws {
        try await withShop { _, directory, clock in
            var limits = CacheLimits()
            limits.maximumCount = 3
            let store = try directory.openStore(clock: clock, cacheLimits: limits)
            for number in 1...3 { try keep([1], in: store, url: "https://m.example.com/\(number)") }
            let oldest = try #require(try store.cachedResponses().last)
            store.noteUse(of: store.row(of: oldest))
            for (number, expected) in [(4, "431"), (5, "541"), (6, "651"), (7, "761")] {
                try keep([1], in: store, url: "https://m.example.com/\(number)")
                let urls = try store.cachedResponses().compactMap(\.url.last)
                #expect(String(urls) == expected)
            }
        }
    }

    @Test("of one key are at most 32, and the oldest go")
    func variants() async throws {
        try await withShop { store, _, _ in
            for number in 1...40 { try keep([1], in: store, variant: Int64(number)) }
            let key = CachedKey(Self.url, bundle: try name("shop"), version: try version("1.0.0"))
            #expect(try store.selections(under: key).map(\.selection.digest) == (9...40).map(Int64.init))
            store.dropCachedResponses(under: key)
            #expect(try store.cachedResponses().isEmpty)
        }
    }

    @Test("have their numbers and bytes counted, also when the counts are damaged")
    func counts() async throws {
        try await withTemporaryDirectory { directory in
            for damage in ["", "byteCount = 'x'", "byteCount = -1, responseCount = -1", "responseCount = x'00'"] {
                let store = try directory.openStore()
                if try store.cachedResponses().isEmpty { try store.install("1.0.0") }
                for number in 1...3 { try keep([1, 2, 3], in: store, url: "https://m.example.com/\(number)") }
                if !damage.isEmpty { try directory.changeCatalog("UPDATE cacheState SET \(damage)") }
                try keep(Self.long, in: store, url: "https://m.example.com/4")
                let sums = try store.catalog.read { try CacheState(in: $0).sums }
                #expect(sums?.count == 4 && sums?.byteCount == Int64(9 + Self.long.count), "\(damage)")
            }
        }
    }

    @Test("that were requested under a version that is no longer active aren't kept, and leave no file")
    func late() async throws {
        try await withShop { store, directory, _ in
            let before = try directory.storeFiles()
            #expect(try !keep([1], in: store, version: "0.9.0"))
            #expect(try !keep([1], in: store, of: "other"))
            #expect(try directory.storeFiles() == before)
            #expect(try store.cachedResponses().isEmpty)
        }
    }

    @Test("that are abandoned leave no file")
    func abandoned() async throws {
        try await withShop { store, directory, _ in
            let before = try directory.storeFiles()
            do {
                let writer = store.beginCachedBody()
                try writer.append([UInt8](repeating: 5, count: 3 << 20))
            }
            #expect(try directory.storeFiles() == before)
        }
    }

    @Test("that are being written aren't taken for orphans by another process")
    func concurrentOpen() async throws {
        try await withShop { store, directory, _ in
            let writer = store.beginCachedBody()
            try writer.append(Self.long)
            let other = try directory.openStore()
            #expect(try directory.names(in: "incoming").count == 1)
            #expect(throws: BundleError.self) { try other.prune() }
            #expect(try writer.content().digest == Digest(of: Self.long))
            try keep(Self.long, in: store)
            #expect(try other.body(of: other.cachedResponses()[0])?.digest == Digest(of: Self.long))
        }
    }

    @Test("that are read slowly stop being read when the task is cancelled, and don't count as damaged")
    func cancelledReading() async throws {
        try await withShop { store, _, _ in
            try keep([UInt8](repeating: 3, count: 3 << 20), in: store)
            let response = try #require(try store.cachedResponses(for: Self.url).first)
            #expect(try store.isIntact(response, pace: .fast))
            #expect(throws: CancellationError.self) {
                try withUnsafeCurrentTask { task in
                    task?.cancel()
                    _ = try store.isIntact(response, pace: .gentle(bytesPerSecond: 1))
                }
            }
        }
    }
}

extension ByteSlice {
    /// For comparing large bodies: a failed comparison of arrays searches for their differences for minutes.
    fileprivate var digest: Digest { withUnsafeBytes { Digest(of: $0) } }
}
