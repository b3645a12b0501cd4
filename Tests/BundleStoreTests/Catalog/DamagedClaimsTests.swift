import BundleTesting
import Foundation
import GRDB
import Testing

@testable import BundleStore

@Suite("The URLs of a bundle whose rows in the catalog are damaged")
struct DamagedClaimsTests {
    private static let shop = #""origins": [{"url": "https://m.example.com/shop/"}]"#
    private static let none = #""origins": []"#

    /// Provides a store with a bundle that claims the URLs and one without origins, after `sql` has changed its
    /// catalog.
    private func withCatalog(changedBy sql: String, _ body: (BundleStore) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                try store.install(.sample("shop", "1", Self.shop), files: ["index.html": "shop"])
                try store.install(.sample("news", "1", Self.none), files: ["index.html": "news"])
            }
            try directory.changeCatalog("PRAGMA foreign_keys = OFF; " + sql)
            try body(directory.openStore())
        }
    }

    private func expect(_ code: BundleError.Code, _ words: String, _ body: () throws -> Void) {
        let error = #expect(throws: BundleError.self, performing: body)
        #expect(error?.code == code)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    private func install(_ name: String, _ url: String, in store: BundleStore) throws {
        let manifest = try BundleManifest.sample(name, "1", #""origins": [{"url": "\#(url)"}]"#)
        try store.install(manifest, files: ["index.html": name], permitsOverlap: false)
    }

    @Test(
        "are still its own",
        arguments: [
            "UPDATE release SET fileCount = fileCount + 1 WHERE bundle = 'shop'",
            "UPDATE release SET rowDigest = '' WHERE bundle = 'shop'",
            "UPDATE release SET contentDigest = 'x' WHERE bundle = 'shop'",
            "UPDATE release SET indexFile = x'ff' WHERE bundle = 'shop'",
            "UPDATE release SET bundle = x'ff' WHERE bundle = 'shop'",
            "UPDATE release SET fileCount = 9 WHERE bundle = 'shop'; UPDATE bundle SET active = NULL WHERE name = 'shop'",
            "UPDATE release SET fileCount = 9 WHERE bundle = 'shop'; DELETE FROM bundle WHERE name = 'shop'",
            "DELETE FROM bundle WHERE name = 'shop'",
        ]
    )
    func claims(sql: String) async throws {
        try await withCatalog(changedBy: sql) { store in
            expect(.originConflict, "permit the overlap with shop") {
                try install("thief", "https://m.example.com/shop/checkout/", in: store)
            }
            try install("other", "https://n.example.com/", in: store)
        }
    }

    @Test(
        "may be any if its manifest can't be read: no other bundle gets new ones before it is repaired",
        arguments: [
            "UPDATE release SET manifest = x'ff' WHERE bundle = 'shop'",
            "UPDATE release SET manifest = '' WHERE bundle = 'shop'",
            "UPDATE release SET manifest = 5 WHERE bundle = 'shop'",
            "UPDATE release SET manifest = (SELECT manifest FROM release WHERE bundle = 'news') WHERE bundle = 'shop'",
        ]
    )
    func unreadable(sql: String) async throws {
        try await withCatalog(changedBy: sql) { store in
            let segments = store.path + "/segments"
            let before = try FileManager.default.contentsOfDirectory(atPath: segments).sorted()
            expect(.storeDamaged, "the catalog is damaged; repair the store") {
                try install("other", "https://n.example.com/", in: store)
            }
            // While the store is damaged, pruning wouldn't remove what a refused installation left.
            #expect(try FileManager.default.contentsOfDirectory(atPath: segments).sorted() == before)
            // A bundle without claims isn't affected, nor is the bundle itself.
            try store.install(.sample("plain", "1", Self.none), files: ["index.html": "plain"])
            try store.install(.sample("shop", "2", Self.shop), files: ["index.html": "shop 2"])
            try install("other", "https://n.example.com/", in: store)
        }
    }
}
