import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Releases on probation")
struct HealthTests {
    /// Installs 1.0.0, which asks for nothing, and 1.1.0, which has to be confirmed within 30 s or two starts.
    private func withProbation(
        _ body: (BundleStore, TestClock, TemporaryDirectory) throws -> Void
    ) async throws {
        let clock = TestClock()
        try await withStore(clock: clock) { store, directory in
            try store.install("1.0.0", ["index.html": "1"])
            try store.installOnProbation("1.1.0")
            try body(store, clock, directory)
        }
    }

    private func probation(_ store: BundleStore) throws -> Probation? {
        try store.bundle(name("shop")).lifecycle.probation
    }

    @Test("a release that asks for it is on probation once it is active, with a nonce of its own each time")
    func beginning() async throws {
        try await withProbation { store, _, directory in
            let first = try #require(try probation(store))
            #expect(first.version.string == "1.1.0")
            #expect(first.nonce.utf8.count == 32)
            #expect((first.startCount, first.loadedAt) == (0, nil))
            #expect(try probation(directory.openStore()) == first)
            try store.activate(name("shop"), version("1.0.0"))
            #expect(try probation(store) == nil)
            try store.activate(name("shop"), version("1.1.0"))
            #expect(try probation(store)?.nonce != first.nonce)
            #expect(try store.verify() == [])
        }
    }

    @Test("a confirmed release stays, whatever time passes")
    func confirmed() async throws {
        try await withProbation { store, clock, directory in
            try store.noteLoad(of: name("shop"), version("1.1.0"))
            let (confirmed, wasOnProbation) = try store.confirm(name("shop"))
            #expect((confirmed.string, wasOnProbation) == ("1.1.0", true))
            #expect(try store.confirm(name("shop"), version("1.1.0")).wasOnProbation == false)
            clock.advance(by: .seconds(3_600))
            #expect(store.judgeProbations() == [])
            #expect(try directory.openStore(clock: clock).judgeStarts() == [])
            #expect(try store.activeVersion() == "1.1.0")
            #expect(try store.history().last?.kind == .confirmed)
        }
    }

    @Test("only the active version can be confirmed")
    func foreign() async throws {
        try await withProbation { store, _, _ in
            for other in ["1.0.0", "2.0.0"] {
                let error = #expect(throws: BundleError.self) { try store.confirm(name("shop"), version(other)) }
                #expect(error?.code == (other == "1.0.0" ? .invalidArgument : .notFound))
            }
            #expect(throws: BundleError.self) { try store.confirm(name("news")) }
            let left = try probation(store)
            #expect(left != nil)
        }
    }

    @Test("without a confirmation within its time, counted from the first page, the release before comes back")
    func late() async throws {
        try await withProbation { store, clock, _ in
            clock.advance(by: .seconds(3_600))
            #expect(store.judgeProbations() == [], "no page of it was loaded yet")
            try store.noteLoad(of: name("shop"), version("1.1.0"))
            clock.advance(by: .seconds(20))
            try store.noteLoad(of: name("shop"), version("1.1.0"))
            #expect(store.judgeProbations() == [])
            clock.advance(by: .seconds(10))
            let bad = try #require(store.judgeProbations().first)
            #expect((bad.version.string, bad.active?.string, bad.stays) == ("1.1.0", "1.0.0", false))
            try store.refresh()
            #expect(try store.activeVersion() == "1.0.0")
            #expect(try store.updateState(of: name("shop"))?.heldVersion?.string == "1.1.0")
            #expect(try probation(store) == nil, "the release before has proved itself")
            #expect(try store.history().suffix(2).map(\.kind) == [.markedBad, .rolledBack])
            #expect(try store.history().last { $0.kind == .markedBad }?.detail == bad.reason)
            #expect(throws: BundleError.self) { try store.rollBack(name("shop")) }
            #expect(try store.verify() == [])
        }
    }

    @Test("the page of another release doesn't begin its time")
    func otherPage() async throws {
        try await withProbation { store, clock, _ in
            try store.noteLoad(of: name("shop"), version("1.0.0"))
            try store.noteLoad(of: name("news"), version("1.1.0"))
            clock.advance(by: .seconds(3_600))
            #expect(store.judgeProbations() == [])
        }
    }

    @Test("without a confirmation in its starts the release before comes back at the next one")
    func starts() async throws {
        try await withProbation { store, clock, directory in
            for _ in 1...2 {
                let run = try directory.openStore(clock: clock)
                #expect(run.judgeStarts() == [])
                for _ in 1...2 { try run.noteLoad(of: name("shop"), version("1.1.0")) }
            }
            let bad = try directory.openStore(clock: clock).judgeStarts()
            #expect(bad.map(\.reason) == ["not confirmed in 2 starts"])
            try store.refresh()
            #expect(try store.activeVersion() == "1.0.0")
        }
    }

    @Test("a start after which nobody opens a page doesn't count")
    func unusedStarts() async throws {
        try await withProbation { store, clock, directory in
            for _ in 1...9 {
                let run = try directory.openStore(clock: clock)
                #expect(run.judgeStarts() == [])
                try run.noteLoad(of: name("shop"), version("1.0.0"))
            }
            try store.refresh()
            #expect(try probation(store)?.startCount == 0)
        }
    }

    @Test("the date plays no part", arguments: [-86_400, 86_400])
    func date(_ seconds: Int) async throws {
        try await withTemporaryDirectory { directory in
            let (clock, wall) = (TestClock(), TestClock())
            let store = try directory.openStore(clock: clock, wall: wall)
            try store.install("1.0.0", ["index.html": "1"])
            try store.installOnProbation("1.1.0")
            try store.noteLoad(of: name("shop"), version("1.1.0"))
            wall.advance(by: .seconds(seconds))
            clock.advance(by: .seconds(29))
            #expect(store.judgeProbations() == [])
            clock.advance(by: .seconds(1))
            #expect(store.judgeProbations().count == 1)
        }
    }

    @Test("the time between two processes doesn't count, and that in processes that end early adds up")
    func interrupted() async throws {
        try await withTemporaryDirectory { directory in
            let clock = TestClock()
            let store = try directory.openStore(clock: clock)
            try store.install("1.0.0", ["index.html": "1"])
            try store.installOnProbation("1.1.0", starts: 100)
            // A quarter of 30 s is noted at a time: the fourth process has seen the rest.
            for run in 1...4 {
                let process = try directory.openStore(clock: clock)
                #expect(process.judgeProbations() == [])
                try process.noteLoad(of: name("shop"), version("1.1.0"))
                clock.advance(by: .seconds(8))
                #expect(process.judgeProbations().count == (run < 4 ? 0 : 1))
                clock.advance(by: .seconds(86_400))
            }
        }
    }

    @Test("the time that two processes see at once counts once")
    func sideBySide() async throws {
        try await withProbation { store, clock, directory in
            let other = try directory.openStore(clock: clock)
            for process in [store, other] { try process.noteLoad(of: name("shop"), version("1.1.0")) }
            for _ in 1...3 {
                clock.advance(by: .seconds(9))
                #expect((store.judgeProbations(), other.judgeProbations()) == ([], []))
                for process in [store, other] { try process.refresh() }
            }
            clock.advance(by: .seconds(3))
            #expect(other.judgeProbations().count == 1)
        }
    }

    @Test("a page whose load couldn't be recorded isn't the first")
    func unrecordedLoad() async throws {
        try await withProbation { store, _, directory in
            let (folder, away) = (store.path, directory.path(of: "away"))
            try FileManager.default.moveItem(atPath: folder, toPath: away)
            #expect(throws: BundleError.self) { try store.noteLoad(of: name("shop"), version("1.1.0")) }
            try FileManager.default.moveItem(atPath: away, toPath: folder)
            #expect(try store.awaitsLoad(of: store.bundle(name("shop"))))
            try store.noteLoad(of: name("shop"), version("1.1.0"))
            #expect(try probation(store)?.startCount == 1)
        }
    }

    @Test("a release that can't go back says so once, and goes back when the obstacle is gone")
    func obstacle() async throws {
        try await withTemporaryDirectory { directory in
            let clock = TestClock()
            let store = try directory.openStore(clock: clock)
            let document = #"{"name": "x", "version": "1", "origins": [{"url": "https://a.test/", "path": "/"}]}"#
            let origins = try BundleManifest.parse(Array(document.utf8)).manifest.origins
            func install(_ bundle: String, _ text: String) throws {
                let manifest = try BundleManifest(name: name(bundle), version: version(text), origins: origins)
                _ = try store.commit(["index.html": text], manifest)
            }
            try install("shop", "1.0.0")
            try store.installOnProbation("1.1.0")
            try install("news", "1.0.0")
            try store.noteLoad(of: name("shop"), version("1.1.0"))
            clock.advance(by: .seconds(30))
            let stuck = try #require(store.judgeProbations().first)
            #expect(stuck.obstacle?.contains("a.test") == true)
            #expect(try store.activeVersion() == "1.1.0")
            for _ in 1...2 { #expect(store.judgeProbations() == []) }
            let failures = try store.history().filter { $0.kind == .failed }
            #expect(failures.map(\.version?.string) == ["1.1.0"])
            #expect(failures.first?.detail?.contains("can't take its place") == true)
            try store.remove(name("news"), nil)
            #expect(store.judgeProbations().map(\.active?.string) == ["1.0.0"])
        }
    }

    @Test(
        "while the active release has yet to be confirmed, the last sound one is kept, and comes back",
        arguments: [(confirmed: nil, sound: "1.0.0"), (confirmed: "1.2.0", sound: "1.2.0")]
    )
    func chain(_ confirmed: String?, _ sound: String) async throws {
        try await withStore { store, _ in
            try store.install("0.9.0", ["index.html": "0.9.0"])
            try store.install("1.0.0", ["index.html": "1.0.0"])
            for text in ["1.1.0", "1.2.0", "1.3.0", "1.4.0"] {
                try store.installOnProbation(text)
                if text == confirmed { try store.confirm(name("shop")) }
                try store.prune(keeping: 0)
            }
            #expect(try Set(store.versions()) == ["1.4.0", sound])
            #expect(try store.lastingVersions() == [sound])
            #expect(try store.markBad(name("shop"), version("1.4.0"), reason: "white").active?.string == sound)
            #expect(try store.verify() == [])
        }
    }

    @Test("a release that was left isn't the last sound one, and what was never confirmed is better than nothing")
    func unsound() async throws {
        try await withStore { store, _ in
            try store.installOnProbation("1.0.0")
            try store.installOnProbation("1.1.0")
            try store.installOnProbation("1.2.0")
            #expect(try store.markBad(name("shop"), version("1.2.0"), reason: "white").active?.string == "1.1.0")
            try store.installOnProbation("1.3.0")
            #expect(try store.bundle(name("shop")).rollbackTarget?.version.string == "1.1.0")
        }
    }

    @Test("confirming a release that a rollback has led to makes it a sound one")
    func confirmedLater() async throws {
        try await withStore { store, _ in
            for text in ["1.0.0", "1.1.0"] { try store.installOnProbation(text) }
            try store.rollBack(name("shop"))
            #expect(try store.confirm(name("shop")).wasOnProbation == false)
            #expect(try store.bundle(name("shop")).lifecycle.unconfirmed == ["1.1.0"])
        }
    }

    @Test("what was marked bad goes back to the one before, and further back the second time; then it stays")
    func markBad() async throws {
        try await withStore { store, _ in
            for number in 1...3 { try store.install("\(number)", ["index.html": "\(number)"]) }
            #expect(try store.markBad(name("shop"), version("3"), reason: "white").active?.string == "2")
            #expect(try store.markBad(name("shop"), version("2"), reason: "white").active?.string == "1")
            let last = try store.markBad(name("shop"), version("1"), reason: "white")
            #expect(last.stays)
            #expect(try store.activeVersion() == "1")
            #expect(try store.updateState(of: name("shop"))?.heldVersion?.string == "3")
            #expect(try store.verify() == [])
        }
    }

    @Test("a release that isn't active can be marked bad: it doesn't become active later, and no update takes it")
    func inactive() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0", ["index.html": "1"])
            try store.install("1.1.0", ["index.html": "2"], activating: false)
            try store.setPending(name("shop"), version("1.1.0"), .nextStart)
            let bad = try store.markBad(name("shop"), version("1.1.0"), reason: "seen elsewhere")
            #expect((bad.active?.string, bad.stays) == ("1.0.0", false))
            #expect(try store.bundle(name("shop")).lifecycle.pending == nil)
            #expect(try store.updateState(of: name("shop"))?.heldVersion?.string == "1.1.0")
            #expect(throws: BundleError.self) { try store.markBad(name("shop"), version("9"), reason: "") }
        }
    }

    @Test("without a release before, the one that was shipped with the app comes back, even one that never was active")
    func seed() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0", ["index.html": "1"], activating: false)
            try store.setSeed(name("shop"), version("1.0.0"))
            try store.install("1.1.0", ["index.html": "2"])
            #expect(try store.markBad(name("shop"), version("1.1.0"), reason: "white").active?.string == "1.0.0")
            #expect(try store.activeVersion() == "1.0.0")
        }
    }

    @Test("a damaged row counts as none, and the release stays")
    func damage() async throws {
        try await withProbation { store, clock, directory in
            try directory.changeCatalog("UPDATE probation SET nonce = 'x', startCount = 'many', loadedAt = 'now'")
            clock.advance(by: .seconds(3_600))
            let other = try directory.openStore(clock: clock)
            #expect(try probation(other) == nil)
            #expect((other.judgeStarts(), other.judgeProbations()) == ([], []))
            #expect(try other.activeVersion() == "1.1.0")
        }
    }
}

extension BundleStore {
    /// The versions that the quota doesn't remove, besides the active ones.
    fileprivate func lastingVersions() throws -> [String] {
        let lasting = try catalog.connection.read { try LifecycleTables.lastingReleases(in: $0) }
        return snapshot.releases.filter { lasting.contains($0.record.id) }.map(\.version.string)
    }

    /// Installs and activates a release that has to be confirmed within 30 s or two starts.
    func installOnProbation(_ text: String, starts: Int = 2) throws {
        let manifest = try BundleManifest(
            name: name("shop"),
            version: version(text),
            origins: [],
            health: HealthTerms(withinSeconds: 30, starts: starts)
        )
        _ = try commit(["index.html": text], manifest)
    }
}
