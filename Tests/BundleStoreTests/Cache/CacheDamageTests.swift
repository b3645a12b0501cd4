import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Damaged cached responses")
struct CacheDamageTests: CacheFixture {
    @Test("with a body that is missing or has another length have no body")
    func damagedBody() async throws {
        try await withShop { store, directory, _ in
            try keep(CachedSample.long, in: store)
            let response = try store.cachedResponses()[0]
            let file = "store/cache/" + (try directory.names(in: "cache")[0])
            for bytes in [[], [1, 2], CachedSample.long + [4]] as [[UInt8]] {
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
            try keep(CachedSample.long, in: store)
            let log = DamageLog()
            let other = try BundleStore(at: store.path, damageHandler: log.handler)
            let response = try other.cachedResponses()[0]
            try damageBody(kind, in: directory)
            for _ in 0..<2 { #expect(other.body(of: response) == nil) }
            #expect(log.damage.map(\.problem.isEmpty) == [false])
            #expect(
                log.damage.first?.description.hasPrefix("shop@1.0.0: the response kept for \(CachedSample.url) ")
                    == true
            )
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
            try keep(CachedSample.long, in: store)
            let response = try store.cachedResponses()[0]
            let other = try directory.openStore()
            #expect(other.isUnread(response))
            #expect(other.body(of: response)?.digest == Digest(of: CachedSample.long))
            #expect(!other.isUnread(response))
            try damageBody(0, in: directory)
            #expect(other.body(of: response) == nil)
            #expect(try directory.openStore().body(of: response) == nil)
        }
    }

    @Test("are verified with the rest, and a repair drops the damaged ones", arguments: 0..<4)
    func verifying(_ kind: Int) async throws {
        try await withShop { store, directory, _ in
            try keep(CachedSample.long, in: store)
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
            #expect(
                report.repaired.map(\.description) == ["dropped shop@1.0.0 the response kept for \(CachedSample.url)"]
            )
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
            // Under a version that isn't active it was removed with the response that was kept since.
            #expect(report.repaired.count == (change == "version = 'zz'" ? 0 : 1))
            #expect(try store.verify() == [])
            #expect(try store.cachedResponses().count == 3)
            #expect(try store.clearCache().count == 3)
        }
    }

    @Test("that are read slowly stop being read when the task is cancelled, and don't count as damaged")
    func cancelledReading() async throws {
        try await withShop { store, _, _ in
            try keep([UInt8](repeating: 3, count: 3 << 20), in: store)
            let response = try #require(try store.cachedResponses(for: CachedSample.url).first)
            #expect(try store.cache.isIntact(response, pace: .fast))
            #expect(throws: CancellationError.self) {
                try withUnsafeCurrentTask { task in
                    task?.cancel()
                    _ = try store.cache.isIntact(response, pace: .gentle(bytesPerSecond: 1))
                }
            }
        }
    }
}
