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
            #expect(try directory.openStore(clock: clock).noteStart() == [])
            #expect(try store.activeVersion() == "1.1.0")
            #expect(try store.history().last?.kind == .confirmed)
        }
    }

    @Test("only the active version can be confirmed")
    func foreign() async throws {
        try await withProbation { store, _, _ in
            for other in ["1.0.0", "2.0.0"] {
                let error = #expect(throws: BundleError.self) { try store.confirm(name("shop"), version(other)) }
                #expect(error?.code == .invalidArgument)
            }
            #expect(throws: BundleError.self) { try store.confirm(name("news")) }
            let left = try probation(store)
            #expect(left != nil)
        }
    }

    @Test("without a confirmation within its time, counted from the first page, the release before comes back")
    func late() async throws {
        try await withProbation { store, clock, directory in
            clock.advance(by: .seconds(3_600))
            #expect(store.judgeProbations() == [], "no page of it was loaded yet")
            try store.noteLoad(of: name("shop"), version("1.1.0"))
            clock.advance(by: .seconds(20))
            try store.noteLoad(of: name("shop"), version("1.1.0"))
            #expect(store.judgeProbations() == [])
            clock.advance(by: .seconds(10))
            let bad = try #require(try directory.openStore(clock: clock).judgeProbations().first)
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
            for _ in 1...2 { #expect(try directory.openStore(clock: clock).noteStart() == []) }
            let bad = try directory.openStore(clock: clock).noteStart()
            #expect(bad.map(\.reason) == ["not confirmed in 2 starts"])
            try store.refresh()
            #expect(try store.activeVersion() == "1.0.0")
        }
    }

    @Test("a clock that was set back doesn't end the time early, and one that was set forward ends it")
    func clock() async throws {
        try await withProbation { store, clock, _ in
            try store.noteLoad(of: name("shop"), version("1.1.0"))
            clock.date = clock.date.addingTimeInterval(-86_400)
            #expect(store.judgeProbations() == [])
            clock.date = clock.date.addingTimeInterval(86_500)
            #expect(store.judgeProbations().count == 1)
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
            #expect((other.noteStart(), other.judgeProbations()) == ([], []))
            #expect(try other.activeVersion() == "1.1.0")
        }
    }
}

extension BundleStore {
    /// Installs and activates a release that has to be confirmed within 30 s or two starts.
    func installOnProbation(_ text: String) throws {
        let manifest = try BundleManifest(
            name: name("shop"),
            version: version(text),
            origins: [],
            health: HealthTerms(withinSeconds: 30, starts: 2)
        )
        _ = try commit(["index.html": text], manifest)
    }
}
