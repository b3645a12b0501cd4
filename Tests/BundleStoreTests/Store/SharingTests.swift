import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Two processes on one store")
struct SharingTests {
    @Test("see each other's changes after a refresh, and only then")
    func refresh() async throws {
        try await withStore { store, directory in
            let other = try directory.openStore()
            #expect(try !other.refresh())
            try store.install("1.0.0")
            #expect(other.snapshot.bundles.isEmpty)
            #expect(try other.refresh())
            #expect(try !other.refresh())
            #expect(try other.activeVersion() == "1.0.0")
            try other.install("2.0.0", ["index.html": "two"])
            #expect(try store.refresh())
            #expect(try store.activeVersion() == "2.0.0")
            try store.rollBack(name("shop"))
            #expect(try other.refresh())
            #expect(try other.release("1.0.0").state == .active)
            #expect(try other.release("2.0.0").state == .retained)
            try other.remove(name("shop"), nil)
            #expect(try store.refresh())
            #expect(store.snapshot.bundles.isEmpty)
        }
    }

    @Test("a change by a store that hasn't been refreshed applies to the current content")
    func stale() async throws {
        try await withStore { store, directory in
            let other = try directory.openStore()
            try store.install("1.0.0")
            try other.install("1.1.0", ["index.html": "new"])
            #expect(try other.rollBack(name("shop")).to.string == "1.0.0")
            #expect(try store.install("1.1.0", ["index.html": "new"]) == .activated)
            #expect(throws: BundleError.self) { try other.install("1.1.0", ["index.html": "else"]) }
        }
    }

    @Test("a refresh that finds nothing new doesn't open files again")
    func reuse() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0")
            let index = try store.release("1.0.0").index
            try store.install("2.0.0", ["index.html": "two"])
            #expect(try store.release("1.0.0").index === index)
        }
    }

    @Test("a bundle that a process works on is busy, another one isn't")
    func busy() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            try store.install("1.0.0", of: "news")
            let other = try directory.openStore()
            let lock = try StoreLock.take(store.layout, bundle: name("shop"), .exclusive, waits: false)
            let changes: [() throws -> Void] = [
                { try other.activate(name("shop"), version("1.0.0")) }, { try other.rollBack(name("shop")) },
                { try other.remove(name("shop"), nil) }, { try other.install("2.0.0") },
            ]
            for change in changes {
                let error = #expect(throws: BundleError.self) { try change() }
                #expect(error?.code == .storeBusy)
                #expect(error?.message.contains("bundle shop") == true)
            }
            try other.activate(name("news"), version("1.0.0"))
            withExtendedLifetime(lock) {}
        }
    }

    @Test("operations wait while the store is being pruned, except caching")
    func pruning() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            let other = try directory.openStore()
            var lock: FileLock? = try StoreLock.take(store.layout, bundle: nil, .exclusive, waits: false)
            #expect(lock != nil)
            let install = Task.detached { try other.install("2.0.0") }
            let error = #expect(throws: BundleError.self) {
                try store.beginCachedBody().append([UInt8](repeating: 1, count: CachedBodyWriter.memoryByteCount + 1))
            }
            #expect(error?.code == .storeBusy)
            #expect(error?.message.contains("the store in \(store.path)") == true)
            #expect(try directory.openStore().activeVersion() == "1.0.0")
            lock = nil
            #expect(try await install.value == .installed)
        }
    }

    @Test("a store that is opened and read while others install and prune is always consistent")
    func readersBetweenCatalogAndFiles() async throws {
        try await withStore { store, directory in
            try store.install("0.0.0")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 1...25 {
                        try store.install("\(number).0.0", ["index.html": "\(number)", "shared.js": "shared"])
                        try store.prune(keeping: 0, waits: true)
                    }
                }
                group.addTask {
                    for _ in 0..<100 {
                        let damage = try directory.openStore().verify()
                        #expect(damage.isEmpty)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("many processes may create one store at once")
    func creation() async throws {
        for _ in 0..<5 {
            try await withTemporaryDirectory { directory in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<6 {
                        group.addTask {
                            let store = try directory.openStore()
                            try store.install("1.0.0", ["index.html": "\(number)"], of: "bundle\(number)", waits: true)
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try directory.openStore().snapshot.bundles.count == 6)
            }
        }
    }

    @Test("readers on other threads always see a complete version while others are installed")
    func concurrency() async throws {
        try await withStore { store, directory in
            try store.install("0", ["a": "0", "b": "0"])
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let other = try directory.openStore()
                    for number in 1...20 {
                        try other.install("\(number)", ["a": "\(number)", "b": "\(number)"])
                        if number % 5 == 0 { _ = try other.prune(keeping: 0) }
                    }
                }
                for _ in 0..<2 {
                    group.addTask {
                        while try store.activeVersion() != "20" {
                            try store.refresh()
                            let active = try #require(store.snapshot.bundles[name("shop")]?.active)
                            let text: String? = active.version.string
                            #expect(active.texts == ["a": text, "b": text])
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
