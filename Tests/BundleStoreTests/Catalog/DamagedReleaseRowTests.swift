import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("A release whose row in the catalog is damaged")
struct DamagedReleaseRowTests {
    /// One column of the active version each.
    private static let changes = [
        "contentDigest = '\(String(repeating: "0", count: 64))'", "contentDigest = 'zz'",
        "contentDigest = CAST(contentDigest AS BLOB)", "manifest = x'00'",
        "manifest = CAST(replace(CAST(manifest AS TEXT), '1.1.0', '1.1.1') AS BLOB)",
        "indexFile = '\(String(repeating: "ab", count: 16))'", "fileCount = 99", "byteCount = 'x'", "installedAt = 0",
        "activatedAt = NULL", "bundle = CAST(bundle AS BLOB)", "version = CAST(version AS BLOB)", "rowDigest = ''",
    ]

    /// Provides the folder of a closed store with two versions of one bundle, the later active. `change` has changed
    /// that one's row, and its index is gone: only the row remains.
    private func withDamage(
        _ change: String,
        keepingIndexes: Bool = false,
        _ body: (TemporaryDirectory) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var index = ""
            do {
                let store = try directory.openStore()
                try store.install("1.0.0", ["index.html": "page 1"])
                try store.install("1.1.0", ["index.html": "page 2"])
                index = "store/indexes/\(try store.release("1.1.0").index.identifier.name).index"
            }
            if !keepingIndexes { try FileManager.default.removeItem(atPath: directory.path(of: index)) }
            try directory.changeCatalog("UPDATE release SET \(change) WHERE version = '1.1.0'")
            try body(directory)
        }
    }

    @Test("is only replaced by different content with force", arguments: changes)
    func otherContent(_ change: String) async throws {
        try await withDamage(change) { directory in
            let store = try directory.openStore()
            let files = try directory.names(in: "segments") + directory.names(in: "indexes")
            for isActivating in [false, true] {
                let error = #expect(throws: BundleError.self) {
                    try store.install("1.1.0", ["index.html": "other"], activating: isActivating)
                }
                #expect(error?.code == .versionConflict)
                #expect(error?.message.contains("is installed with other content") == true)
            }
            #expect(try directory.names(in: "segments") + directory.names(in: "indexes") == files)
            #expect(try directory.openStore().snapshot.bundles[name("shop")]?.serving?.version.string == "1.0.0")

            try store.install("1.1.0", ["index.html": "other"], replacing: true)
            let after = try directory.openStore()
            #expect(try after.release("1.1.0").texts == ["index.html": "other"])
            #expect(try after.activeVersion() == "1.1.0")
            #expect(try after.verify() == [])
        }
    }

    @Test("is reinstalled from its own content, and stays active", arguments: changes)
    func sameContent(_ change: String) async throws {
        try await withDamage(change) { directory in
            try directory.openStore().install("1.1.0", ["index.html": "page 2"], activating: false)
            let after = try directory.openStore()
            #expect(try after.release("1.1.0").texts == ["index.html": "page 2"])
            #expect(try after.activeVersion() == "1.1.0")
            #expect(try after.verify() == [])
        }
    }

    @Test("gets its content's digest back from manifest and index", arguments: changes.prefix(3))
    func contentDigest(_ change: String) async throws {
        try await withDamage(change, keepingIndexes: true) { directory in
            let report = try directory.openStore().beginRepair().commit(waits: false)
            #expect(report.repaired.map(\.version?.string) == ["1.1.0"])
            #expect(report.damage == [])
            let after = try directory.openStore()
            #expect(try after.verify() == [])
            #expect(try after.activeVersion() == "1.1.0")
        }
    }

    @Test("that has lost two columns is only replaced with force")
    func twoColumns() async throws {
        try await withDamage("contentDigest = 'zz', installedAt = 0") { directory in
            let store = try directory.openStore()
            let error = #expect(throws: BundleError.self) { try store.install("1.1.0", ["index.html": "page 2"]) }
            #expect(error?.code == .versionConflict)
            try store.install("1.1.0", ["index.html": "page 2"], replacing: true)
            #expect(try directory.openStore().verify() == [])
        }
    }
}
