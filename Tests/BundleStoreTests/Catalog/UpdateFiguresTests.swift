import BundleTesting
import Foundation
import GRDB
import Testing

@testable import BundleStore

@Suite("What a store counts of releases and updates")
struct UpdateFiguresTests {
    private func figures(_ store: BundleStore) throws -> UpdateFigures {
        try store.updateFigures()[name("shop")] ?? UpdateFigures()
    }

    private func value(_ event: UpdateFigures.ReleaseEvent, _ version: String, _ store: BundleStore) throws -> Int64? {
        try figures(store).releases[version]?[event]?.value
    }

    @Test("activations and rollbacks are counted by version, over restarts and after the journal has dropped them")
    func releases() async throws {
        let clock = TestClock()
        try await withStore(clock: clock) { store, directory in
            try store.install("1.0.0", ["index.html": "1"])
            try store.install("1.1.0", ["index.html": "2"])
            try store.rollBack(name("shop"))
            try store.activate(name("shop"), version("1.1.0"))
            let start = clock.date
            clock.advance(by: .seconds(60))
            for number in 0..<HistoryTable.maximumEventCount.ofBundle + 1 {
                try store.record(UpdateEvent(.decided, name("shop"), at: store.now(), detail: "\(number)"))
            }
            #expect(try store.history().allSatisfy { $0.kind == .decided })
            for user in [store, try directory.openStore(clock: clock)] {
                #expect(try value(.activated, "1.0.0", user) == 1)
                #expect(try value(.activated, "1.1.0", user) == 2)
                #expect(try value(.rolledBack(.request), "1.1.0", user) == 1)
                #expect(try figures(user).releases["1.1.0"]?[.activated]?.since == start)
            }
            #expect(try store.verify() == [])
        }
    }

    @Test("a version that neither the store nor its journal has is forgotten, and a bundle that is removed")
    func forgotten() async throws {
        try await withStore { store, _ in
            for version in ["1.0.0", "1.1.0"] { try store.install(version, ["index.html": version]) }
            try store.remove(name("shop"), version("1.0.0"))
            #expect(try value(.activated, "1.0.0", store) == 1)
            for number in 0..<HistoryTable.maximumEventCount.ofBundle + 1 {
                try store.record(UpdateEvent(.decided, name("shop"), at: store.now(), detail: "\(number)"))
            }
            #expect(try figures(store).releases.keys.sorted() == ["1.1.0"])
            try store.recordCheck(of: name("shop"), failure: "no network", reason: .network)
            try store.remove(name("shop"), nil)
            #expect(try store.updateFigures().isEmpty)
            // Nothing is known of a bundle that isn't there.
            try store.recordCheck(of: name("shop"), failure: nil)
            try store.recordOffer([version("2.0.0")], of: name("shop"))
            #expect(try store.updateFigures().isEmpty)
        }
    }

    @Test("each check counts, also one that isn't recorded, because it is as the last one")
    func checks() async throws {
        let clock = TestClock()
        try await withStore(clock: clock) { store, directory in
            try store.install("1.0.0")
            for _ in 1...3 { try store.recordCheck(of: name("shop"), failure: "no network", reason: .network) }
            #expect(try figures(store).succeededAt == nil)
            for _ in 1...2 {
                clock.advance(by: .seconds(60))
                try store.recordCheck(of: name("shop"), failure: nil)
            }
            let found = try figures(directory.openStore(clock: clock))
            #expect(found.failures.mapValues(\.value) == [.network: 3])
            #expect(found.succeededAt == clock.date)
            #expect(try store.updateState(of: name("shop"))?.checkedAt == clock.date.addingTimeInterval(-60))
            // The clock was set back.
            clock.advance(by: .seconds(-301))
            #expect(try figures(store).succeededAt == nil)
        }
    }

    @Test("the offer of a feed is the one that was read last, and tells how many versions are higher")
    func offers() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            #expect(try figures(store).versionsBehind(version("1.0.0")) == nil)
            let offer = try (0..<UpdateFigures.maximumOfferCount + 1).reversed().map { try version("1.\($0).0") }
            try store.recordOffer(offer, of: name("shop"))
            let found = try figures(directory.openStore())
            #expect(found.offered == offer.dropLast())
            #expect(found.versionsBehind(try version("1.98.0")) == 2)
            #expect(found.versionsBehind(nil) == UpdateFigures.maximumOfferCount)
            try store.recordOffer([], of: name("shop"))
            #expect(try figures(store).versionsBehind(version("1.0.0")) == 0)
        }
    }

    @Test(
        "what can't be read counts as none",
        arguments: ["count = 'x'", "since = 'x'", "kind = 'failed.x'", "version = '/'"]
    )
    func damage(_ change: String) async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            try directory.changeCatalog(
                "UPDATE updateTally SET \(change); INSERT INTO feedContact VALUES ('shop', 'x', x'ff')"
            )
            let found = try figures(directory.openStore())
            #expect(found.releases.isEmpty && found.succeededAt == nil)
        }
    }

    @Test("a store of an earlier program counts what its journal tells")
    func migration() async throws {
        try await withStore { store, directory in
            for version in ["1.0.0", "1.1.0"] { try store.install(version, ["index.html": version]) }
            try store.markBad(name("shop"), version("1.1.0"), reason: "not confirmed in 3 starts")
            try directory.changeCatalog(
                """
                DROP TABLE updateTally; DROP TABLE feedContact;
                DELETE FROM grdb_migrations WHERE identifier = '17'; PRAGMA user_version = 16
                """
            )
            let migrated = try directory.openStore()
            #expect(try value(.activated, "1.0.0", migrated) == 1)
            #expect(try value(.markedBad, "1.1.0", migrated) == 1)
            #expect(try value(.rolledBack(.unconfirmedStarts), "1.1.0", migrated) == 1)
        }
    }
}

@Suite("The reasons of failures")
struct UpdateFailureReasonTests {
    @Test(
        "each code of an error has one",
        arguments: [
            (BundleError.Code.networkUnavailable, UpdateFailureReason.network), (.unexpectedResponse, .network),
            (.invalidFeed, .feed), (.untrusted, .signature), (.invalidArchive, .release), (.tooLarge, .release),
            (.originConflict, .conflict), (.quotaExceeded, .space), (.storeDamaged, .store), (.notFound, .other),
        ]
    )
    func codes(_ code: BundleError.Code, _ reason: UpdateFailureReason) {
        #expect(UpdateFailureReason(code) == reason)
    }
}
