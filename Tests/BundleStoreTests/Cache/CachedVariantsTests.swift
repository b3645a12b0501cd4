import BundleTesting
import Testing

@testable import BundleStore

@Suite("The variants under a key")
struct CachedVariantsTests: CacheFixture {
    @Test("are read at one moment, with the short bodies of those that are selected, which stay readable when removed")
    func oneMoment() async throws {
        try await withShop { store, directory, _ in
            for number in 1...3 { try keep([UInt8(number)], in: store, variant: Int64(number)) }
            let key = CachedKey(CachedSample.url, bundle: try name("shop"), version: try version("1.0.0"))
            let variants = try store.variants(under: key) { $0.digest == 2 }
            #expect(variants.selections.map(\.selection.digest) == [1, 2, 3])
            let selected = try #require(variants.selected.first)
            #expect(variants.selected.count == 1)
            #expect(!store.isUnread(selected))
            try directory.openStore().clearCache()
            #expect(store.contents(of: selected)?.map(\.array) == [[2]])
            #expect(try store.variants(under: key) { _ in true }.selections.isEmpty)
        }
    }

    @Test("name the file of a long body, which is compared with its digest first")
    func longBody() async throws {
        try await withShop { store, directory, _ in
            try keep(CachedSample.long, in: store)
            let key = CachedKey(CachedSample.url, bundle: try name("shop"), version: try version("1.0.0"))
            let other = try directory.openStore()
            let selected = try #require(try other.variants(under: key) { _ in true }.selected.first)
            #expect(other.isUnread(selected))
            #expect(other.contents(of: selected)?.map(\.digest) == [Digest(of: CachedSample.long)])
            #expect(!other.isUnread(selected))
        }
    }
}
