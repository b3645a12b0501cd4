import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Activation and rollback")
struct ActivationTests {
    private func withThreeVersions(_ body: (BundleStore, TemporaryDirectory, TestClock) throws -> Void) async throws {
        let clock = TestClock()
        try await withStore(clock: clock) { store, directory in
            for version in ["1.0.0", "2.0.0", "3.0.0"] {
                try store.install(version, ["index.html": version])
                clock.advance(by: .seconds(60))
            }
            try body(store, directory, clock)
        }
    }

    @Test("the versions are listed by activation, latest first")
    func order() async throws {
        try await withThreeVersions { store, _, _ in
            #expect(try store.versions() == ["3.0.0", "2.0.0", "1.0.0"])
            try store.activate(name("shop"), version("1.0.0"))
            #expect(try store.versions() == ["1.0.0", "3.0.0", "2.0.0"])
        }
    }

    @Test("the order of activations is kept when the clock is set back")
    func clockGoesBack() async throws {
        try await withThreeVersions { store, _, clock in
            clock.advance(by: .seconds(-100_000))
            try store.activate(name("shop"), version("1.0.0"))
            #expect(try store.versions() == ["1.0.0", "3.0.0", "2.0.0"])
        }
    }

    @Test("each rollback goes further back, what was left first stays held back, and the last one says so")
    func furtherBack() async throws {
        try await withThreeVersions { store, _, _ in
            for (from, to) in [("3.0.0", "2.0.0"), ("2.0.0", "1.0.0")] {
                let result = try store.rollBack(name("shop"))
                #expect(result.from?.string == from)
                #expect(result.to.string == to)
                #expect(try store.activeVersion() == to)
                #expect(try store.updateState(of: name("shop"))?.heldVersion?.string == "3.0.0")
            }
            let error = #expect(throws: BundleError.self) { try store.rollBack(name("shop")) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("it was rolled back from 2.0.0, 3.0.0, which can be activated") == true)
            #expect(try store.activeVersion() == "1.0.0")
        }
    }

    @Test("a version that a rollback has left is one to go back to again once it was activated by hand or installed")
    func leftAndActivated() async throws {
        try await withThreeVersions { store, directory, _ in
            try store.rollBack(name("shop"))
            try store.activate(name("shop"), version("3.0.0"))
            try store.install("4.0.0", ["index.html": "4"])
            #expect(try store.rollBack(name("shop")).to.string == "3.0.0")
            #expect(
                try directory.openStore().rollBack(name("shop")).to.string == "2.0.0",
                "another process knows it too"
            )
            try store.refresh()
            try store.install("4.0.0", ["index.html": "4"], replacing: true)
            try store.activate(name("shop"), version("1.0.0"))
            #expect(try store.rollBack(name("shop")).to.string == "4.0.0")
        }
    }

    @Test("a rollback to a certain version leaves those between, and holds back the highest")
    func certain() async throws {
        try await withThreeVersions { store, _, _ in
            let result = try store.rollBack(name("shop"), to: version("1.0.0"))
            #expect((result.from?.string, result.to.string) == ("3.0.0", "1.0.0"))
            #expect(try store.updateState(of: name("shop"))?.heldVersion?.string == "3.0.0")
            #expect(throws: BundleError.self, "2.0.0 isn't further back") { try store.rollBack(name("shop")) }
        }
    }

    @Test("a rollback leads only to an installed version that is lower", arguments: ["3.0.0", "4.0.0", "0.9.0"])
    func wrongTarget(_ target: String) async throws {
        try await withThreeVersions { store, _, _ in
            try store.install("4.0.0", ["index.html": "4"], activating: false)
            let error = #expect(throws: BundleError.self) { try store.rollBack(name("shop"), to: version(target)) }
            #expect(error?.code == (target == "0.9.0" ? .notFound : .invalidArgument))
            #expect(try store.activeVersion() == "3.0.0")
            #expect(try store.updateState(of: name("shop"))?.heldVersion == nil)
        }
    }

    @Test(
        "activating a lower version holds back the highest that was left; reaching that one ends it",
        arguments: [
            (["1.0.0"], "3.0.0"), (["1.0.0", "2.0.0"], "3.0.0"), (["2.0.0", "1.0.0"], "3.0.0"),
            (["1.0.0", "3.0.0"], nil), (["3.0.0"], nil),
        ] as [([String], String?)]
    )
    func activatingLower(_ versions: [String], _ held: String?) async throws {
        try await withThreeVersions { store, _, _ in
            for text in versions { try store.activate(name("shop"), version(text)) }
            #expect(try store.updateState(of: name("shop"))?.heldVersion?.string == held)
        }
    }

    @Test(
        "installing a version below the held one keeps the hold, reaching it clears it",
        arguments: [("1.0.0", "3.0.0"), ("2.0.0", "3.0.0"), ("2.5.0", "3.0.0"), ("3.0.0", nil), ("3.0.1", nil)]
    )
    func installAfterRollback(_ text: String, _ held: String?) async throws {
        try await withThreeVersions { store, _, _ in
            try store.rollBack(name("shop"))
            try store.install(text, ["index.html": "again"], replacing: true)
            #expect(try store.activeVersion() == text)
            #expect(try store.updateState(of: name("shop"))?.heldVersion?.string == held)
        }
    }

    @Test("activating what a rollback left ends that it is held back, and so does installing a higher version")
    func hold() async throws {
        try await withThreeVersions { store, _, _ in
            try store.rollBack(name("shop"))
            try store.activate(name("shop"), version("2.0.0"))
            #expect(try store.updateState(of: name("shop"))?.heldVersion?.string == "3.0.0", "it is active already")
            try store.activate(name("shop"), version("3.0.0"))
            #expect(try store.updateState(of: name("shop"))?.heldVersion == nil)
            try store.rollBack(name("shop"))
            try store.install("4.0.0", ["index.html": "4"])
            #expect(try store.updateState(of: name("shop"))?.heldVersion == nil)
        }
    }

    @Test("installing without activation keeps the hold")
    func inactiveInstall() async throws {
        try await withThreeVersions { store, _, _ in
            try store.rollBack(name("shop"))
            try store.install("4.0.0", ["index.html": "4"], activating: false)
            #expect(try store.updateState(of: name("shop"))?.heldVersion?.string == "3.0.0")
            #expect(try store.activeVersion() == "2.0.0")
        }
    }

    @Test("the only version can't be rolled back, and a rollback never leads to a version that was never activated")
    func nothingEarlier() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0")
            try store.install("0.9.0", ["index.html": "old"], activating: false)
            let error = #expect(throws: BundleError.self) { try store.rollBack(name("shop")) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("no earlier version") == true)
        }
    }

    @Test("an unknown bundle or version is named, with the known ones")
    func unknown() async throws {
        try await withThreeVersions { store, _, _ in
            let bundle = #expect(throws: BundleError.self) { try store.activate(name("news"), version("1")) }
            #expect(bundle?.code == .notFound)
            #expect(bundle?.message.contains("no bundle news") == true)
            let release = #expect(throws: BundleError.self) { try store.activate(name("shop"), version("9")) }
            #expect(release?.code == .notFound)
            #expect(release?.message.contains("installed: 3.0.0, 2.0.0, 1.0.0") == true)
        }
    }

    @Test("times come from the clock")
    func times() async throws {
        try await withThreeVersions { store, _, clock in
            let start = TestClock().date
            #expect(try store.release("2.0.0").installedAt == start + 60)
            #expect(try store.release("2.0.0").activatedAt == start + 60)
            try store.activate(name("shop"), version("2.0.0"))
            #expect(try store.release("2.0.0").installedAt == start + 60)
            #expect(try store.release("2.0.0").activatedAt == clock.date)
        }
    }

    @Test("a check is recorded with its time and failure until the next one")
    func checks() async throws {
        try await withThreeVersions { store, directory, clock in
            #expect(try store.updateState(of: name("news")) == nil)
            #expect(try store.updateState(of: name("shop"))?.checkedAt == nil)
            try store.recordCheck(of: name("shop"), failure: "no network")
            let failed = try #require(try directory.openStore().updateState(of: name("shop")))
            #expect((failed.checkedAt, failed.lastFailure) == (clock.date, "no network"))
            clock.advance(by: .seconds(5))
            try store.recordCheck(of: name("shop"), failure: nil)
            let fine = try #require(try store.updateState(of: name("shop")))
            #expect((fine.checkedAt, fine.lastFailure) == (clock.date, nil))
            // After a clock that was ahead has been corrected, the recorded time is unknown.
            clock.advance(by: .seconds(-300))
            #expect(try store.updateState(of: name("shop"))?.checkedAt == fine.checkedAt)
            clock.advance(by: .seconds(-1))
            #expect(try store.updateState(of: name("shop"))?.checkedAt == nil)
        }
    }

    @Test("versions that differ only in their build metadata are two versions")
    func buildMetadata() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0+a", ["index.html": "a"])
            try store.install("1.0.0+b", ["index.html": "b"])
            try store.activate(name("shop"), version("1.0.0+a"))
            #expect(try store.versions() == ["1.0.0+a", "1.0.0+b"])
            #expect(try store.release("1.0.0+b").texts == ["index.html": "b"])
        }
    }
}
