import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Releases that were shipped with an app")
struct SeedTests {
    @Test("are kept by pruning and by the quota, until another one is shipped")
    func kept() async throws {
        try await withStore { store, directory in
            try store.install("1", ["index.html": String(repeating: "1", count: 100_000)])
            try store.setSeed(name("shop"), version("1"))
            for number in 2...4 { try store.install("\(number)", ["index.html": "\(number)"]) }
            try store.prune(keeping: 0)
            #expect(try store.versions() == ["4", "1"])
            #expect(try store.bundle(name("shop")).isSeed(version("1")))
            try store.setQuota(150_000)
            #expect(throws: BundleError.self) {
                try store.install("5", ["index.html": String(repeating: "5", count: 100_000)])
            }
            #expect(try store.versions() == ["4", "1"])
            try store.setQuota(nil)
            try store.setSeed(name("shop"), version("4"))
            #expect(try directory.openStore().bundle(name("shop")).lifecycle.seeds == ["4"])
            try store.prune(keeping: 0)
            #expect(try store.versions() == ["4"])
            #expect(try store.verify() == [])
        }
    }

    @Test("are removed by a person, and have to be installed")
    func removed() async throws {
        try await withStore { store, _ in
            try store.install("1", ["index.html": "1"])
            try store.install("2", ["index.html": "2"])
            try store.setSeed(name("shop"), version("1"))
            try store.remove(name("shop"), version("1"))
            #expect(try store.bundle(name("shop")).lifecycle.seeds == [])
            #expect(throws: BundleError.self) { try store.setSeed(name("shop"), version("1")) }
        }
    }

    @Test("stay so when they are installed again with other content")
    func replaced() async throws {
        try await withStore { store, _ in
            try store.install("1", ["index.html": "1"])
            try store.setSeed(name("shop"), version("1"))
            try store.install("1", ["index.html": "other"], replacing: true)
            #expect(try store.bundle(name("shop")).isSeed(version("1")))
        }
    }
}
