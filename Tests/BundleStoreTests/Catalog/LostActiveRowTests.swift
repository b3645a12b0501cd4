import BundleTesting
import Foundation
import GRDB
import Testing

@testable import BundleStore

@Suite("A bundle whose row is damaged together with that of its active release")
struct LostActiveRowTests {
    private static let old = ["index.html": "page 1"]
    private static let new = ["index.html": "page 2"]
    private static let activeAgain = "repaired shop@1.1.0 as the active version from the activations of its releases"

    /// Changes to the bundle's row.
    private static let bundleChanges = [
        "DELETE FROM bundle WHERE name = 'shop'", "UPDATE bundle SET active = 1 WHERE name = 'shop'",
        "UPDATE bundle SET active = NULL WHERE name = 'shop'", "UPDATE bundle SET rowDigest = '' WHERE name = 'shop'",
        "UPDATE bundle SET name = CAST(name AS BLOB) WHERE name = 'shop'",
        "UPDATE bundle SET name = 'shop' || char(0) WHERE name = 'shop'",
        "UPDATE bundle SET name = 'shoq' WHERE name = 'shop'",
    ]

    /// Changes to the row of the active release.
    private static let releaseChanges = [
        "installedAt = 0", "activatedAt = x'00'", "contentDigest = 'zz'", "rowDigest = ''", "heldVersion = x'ff'",
        "bundle = CAST(bundle AS BLOB)", "version = version || char(0)", "version = '1.1.p'", "bundle = 'news'",
    ]

    /// Changes that no index helps to repair.
    private static let manifestChanges = [
        "manifest = x'00'", "manifest = (SELECT manifest FROM release WHERE bundle = 'news')",
    ]

    /// Each combined with one of the other.
    private static let changes =
        bundleChanges.map { ($0, releaseChanges[0]) } + releaseChanges.dropFirst().map { (bundleChanges[0], $0) }

    /// Provides the folder of a closed store with two versions of one bundle, the later active, and another bundle,
    /// after its catalog was changed, and perhaps the active version's index removed.
    private func withDamage(
        _ changes: [String],
        losingIndex: Bool = true,
        _ body: (TemporaryDirectory) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            do { try directory.openStore().install(Self.old, then: Self.new) }
            if losingIndex { try directory.remove(directory.index(of: "1.1.0")) }
            try directory.changeCatalog("PRAGMA foreign_keys = OFF; " + changes.joined(separator: "; "))
            try body(directory)
        }
    }

    private func damage(_ release: String) -> String { "UPDATE release SET \(release) WHERE version = '1.1.0'" }

    private func repair(_ directory: TemporaryDirectory) throws -> RepairReport {
        try directory.openStore().beginRepair().commit(waits: false)
    }

    /// Expects that 1.1.0 is the active version but can't be opened, and that 1.0.0 is served.
    private func expectFallbackRelease(_ directory: TemporaryDirectory) throws {
        let store = try directory.openStore()
        let bundle = try #require(store.snapshot.bundles[name("shop")])
        #expect(bundle.active == nil)
        #expect(bundle.activeVersion?.string == "1.1.0")
        #expect(bundle.serving?.texts == Self.old.mapValues { $0 })
        #expect(store.snapshot.degradations == ["shop 1.1.0 can't be opened, 1.0.0 is served"])
        #expect(try store.activeVersion(of: "news") == "1.0.0")
        #expect(try store.prune(keeping: 0).releases.isEmpty)
    }

    private func expectSound(_ directory: TemporaryDirectory) throws {
        let store = try directory.openStore()
        #expect(try store.verify() == [])
        #expect(try store.activeVersion() == "1.1.0")
        #expect(try store.release("1.1.0").texts == Self.new.mapValues { $0 })
        #expect(try store.versions() == ["1.1.0", "1.0.0"])
        #expect(try store.activeVersion(of: "news") == "1.0.0")
        // Its own row also records that it is the active one.
        try directory.changeCatalog("DELETE FROM bundle")
        #expect(try directory.openStore().activeVersion() == "1.1.0")
    }

    @Test(
        "and its index keeps it active; the previous version is served, and the archive restores it",
        arguments: changes + manifestChanges.map { (bundleChanges[0], $0) }
    )
    func indexLost(_ bundle: String, _ release: String) async throws {
        try await withDamage([bundle, damage(release)]) { directory in
            try expectFallbackRelease(directory)
            let damage = try directory.openStore().verify()
            #expect(damage.contains { $0.version?.string == "1.1.0" && $0.bundle?.string == "shop" })
            #expect(
                damage.contains { $0.problem.contains("1.1.0, which was activated last, counts as the active one") }
            )
            #expect(damage.allSatisfy { if case .repair = $0.remedy { true } else { false } })

            let report = try repair(directory)
            #expect(report.repaired.map(\.description).contains(Self.activeAgain))
            #expect(report.damage.map(\.bundle?.string) == ["shop"])
            #expect(report.damage.map(\.version?.string) == ["1.1.0"])
            try expectFallbackRelease(directory)
            #expect(try directory.openStore().verify().map(\.version?.string) == ["1.1.0"])

            try directory.openStore().install("1.1.0", Self.new, activating: false)
            try expectSound(directory)
        }
    }

    @Test(
        "is repaired from the release's index, and it stays active, in any order of repairs",
        arguments: changes
    )
    func indexThere(_ bundle: String, _ release: String) async throws {
        for isBundleFirst in [true, false] {
            try await withDamage([bundle, damage(release)], losingIndex: false) { directory in
                try expectFallbackRelease(directory)
                if isBundleFirst {
                    let repaired = try directory.openStore().catalog.repair.bundles()
                    #expect(repaired.map(\.description).contains(Self.activeAgain))
                    try expectFallbackRelease(directory)
                }
                let report = try repair(directory)
                #expect(report.repaired.contains { $0.version?.string == "1.1.0" && $0.source == "its manifest" })
                #expect(report.repaired.map(\.description).contains(Self.activeAgain) != isBundleFirst)
                #expect(report.damage == [])
                try expectSound(directory)
            }
        }
    }

    @Test("is repaired by an installation of the release's archive alone", arguments: bundleChanges)
    func archive(_ bundle: String) async throws {
        try await withDamage([bundle, damage("installedAt = 0")]) { directory in
            try directory.openStore().install("1.1.0", Self.new, activating: false)
            #expect(try directory.openStore().activeVersion() == "1.1.0")
            _ = try repair(directory)
            try expectSound(directory)
        }
    }

    @Test(
        "uses the number of the release's activation only if it is valid, and exceeds the previous one",
        arguments: [
            ("-1", false), ("281474976710657", false), ("9223372036854775807", false), ("'x'", false), ("x'02'", false),
            ("2.5", false), ("NULL", false), ("0", false), ("1", false), ("2", true), ("99", true),
            ("281474976710656", true),
        ]
    )
    func number(_ number: String, _ counts: Bool) async throws {
        let changes = [Self.bundleChanges[0], damage("activationNumber = \(number), installedAt = 0")]
        try await withDamage(changes) { directory in
            let active = counts ? "1.1.0" : "1.0.0"
            let store = try directory.openStore()
            let bundle = try #require(store.snapshot.bundles[name("shop")])
            #expect(bundle.activeVersion?.string == active)
            #expect(bundle.serving?.version.string == "1.0.0")
            #expect(bundle.isDegraded == counts)
            let sentence = "\(active), which was activated last, counts as the active one"
            #expect(try store.verify().contains { $0.problem.contains(sentence) })
            let report = try repair(directory)
            #expect(report.repaired.map(\.version?.string) == [active])
            #expect(report.damage.map(\.version?.string) == ["1.1.0"])

            for version in ["2.0.0", "3.0.0", "2.5.0"] {
                try directory.openStore().install(version, ["index.html": version])
                try directory.changeCatalog("DELETE FROM bundle WHERE name = 'shop'")
                #expect(try directory.openStore().activeVersion() == version)
                _ = try repair(directory)
                #expect(try directory.openStore().activeVersion() == version)
            }
        }
    }

    @Test("doesn't take another bundle's active version for its own, whatever the row of that version says")
    func otherBundle() async throws {
        let sql = "UPDATE release SET bundle = 'news', activationNumber = 99, installedAt = 0 WHERE version = '1.1.0'"
        try await withDamage([sql, "DELETE FROM bundle WHERE name = 'news'"]) { directory in
            let store = try directory.openStore()
            #expect(try store.activeVersion(of: "news") == "1.0.0")
            // The bundle's own row names that row as its active one.
            #expect(store.snapshot.degradations == ["shop 1.1.0 can't be opened, 1.0.0 is served"])
            _ = try repair(directory)
            #expect(try directory.openStore().activeVersion(of: "news") == "1.0.0")
            try directory.openStore().install("1.1.0", Self.new)
            try expectSound(directory)
        }
    }

    @Test("and another bundle in the same state are reported separately")
    func bothBundles() async throws {
        try await withDamage(["DELETE FROM bundle", "UPDATE release SET installedAt = 0 WHERE id > 1"]) { directory in
            let store = try directory.openStore()
            #expect(store.snapshot.degradations == ["shop 1.1.0 can't be opened, 1.0.0 is served"])
            #expect(try store.verify().map(\.bundle?.string) == ["shop", "news", "shop"])
            let report = try repair(directory)
            #expect(report.repaired.map(\.description).contains(Self.activeAgain))
            #expect(report.damage.map(\.version?.string) == ["1.1.0"])
            try expectFallbackRelease(directory)
            try directory.openStore().install("1.1.0", Self.new, activating: false)
            try expectSound(directory)
        }
    }

    @Test("and has no other release is active again after a repair", arguments: [true, false], releaseChanges)
    func onlyRelease(_ losesIndex: Bool, _ change: String) async throws {
        try await withTemporaryDirectory { directory in
            do { try directory.openStore().install("1.1.0", Self.new) }
            if losesIndex { try directory.remove(directory.index(of: "1.1.0")) }
            try directory.changeCatalog("PRAGMA foreign_keys = OFF; DELETE FROM bundle; " + damage(change))
            #expect(try !directory.openStore().verify().isEmpty)
            if losesIndex {
                #expect(try repair(directory).damage.map(\.version?.string) == ["1.1.0"])
                try directory.openStore().install("1.1.0", Self.new, activating: false)
            } else {
                #expect(try repair(directory).repaired.map(\.description).contains(Self.activeAgain))
            }
            #expect(try directory.openStore().verify() == [])
            #expect(try directory.openStore().activeVersion() == "1.1.0")
        }
    }

    @Test("and can't be identified loses it, and the report says which version is active in its place")
    func lost() async throws {
        for bundle in Self.bundleChanges + [""] {
            try await withDamage([bundle, damage("version = 'x', installedAt = 0")]) { directory in
                #expect(try directory.openStore().snapshot.bundles[name("shop")]?.serving?.version.string == "1.0.0")
                let report = try repair(directory)
                let lines = report.repaired.map(\.description)
                #expect(lines.contains("dropped shop row 2 of the catalog"))
                #expect(
                    lines.contains("repaired shop@1.0.0 as the active version from the activations of its releases")
                )
                #expect(report.damage == [])
                let after = try directory.openStore()
                #expect(try after.verify() == [])
                #expect(try after.activeVersion() == "1.0.0")
                #expect(try after.activeVersion(of: "news") == "1.0.0")
            }
        }
    }

    @Test(
        "that has a row, with only its release's number damaged, gives the release a valid number",
        arguments: [
            "'x'", "0", "1", "-1", "NULL", "281474976710657",
        ]
    )
    func numberAlone(_ number: String) async throws {
        try await withDamage([damage("activationNumber = \(number)")], losingIndex: false) { directory in
            #expect(try repair(directory).damage == [])
            try expectSound(directory)
        }
    }

    @Test("keeps its own row's content when another bundle's version is removed")
    func removal() async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                try store.install("1.1.0", Self.new)
                for version in ["1.0.0", "2.0.0"] { try store.install(version, of: "news") }
            }
            try directory.changeCatalog(damage("bundle = x'ff'"))
            try directory.openStore().remove(name("news"), version("1.0.0"))
            #expect(try repair(directory).repaired.map(\.description) == ["repaired shop@1.1.0 from its manifest"])
            #expect(try directory.openStore().activeVersion() == "1.1.0")
        }
    }
}
