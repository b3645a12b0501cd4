import BundleTesting
import Foundation
import GRDB
import Testing

@testable import BundleStore

@Suite("What a store remembers of updates")
struct UpdateMemoryTests {
    private let feed = "https://m.example.com/feed.json?token=secret"

    @Test("a hold lasts until it is ended, over restarts and activations, and other processes see it")
    func hold() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            try store.setHold(true, name("shop"))
            try store.setHold(true, name("shop"))
            try store.install("2.0.0", ["index.html": "2"])
            #expect(try directory.openStore().updateState(of: name("shop"))?.isOnHold == true)
            try store.setHold(false, name("shop"))
            try store.setHold(false, name("shop"))
            #expect(try directory.openStore().updateState(of: name("shop"))?.isOnHold == false)
            #expect(try store.verify() == [])
        }
    }

    @Test(
        "a hold that ends leaves a version held back; ending that is remembered, even if the bundle's row is lost later"
    )
    func heldBack() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["index.html": "1"])
            try store.install("2.0.0", ["index.html": "2"])
            try store.rollBack(name("shop"))
            try store.setHold(true, name("shop"))
            try store.setHold(false, name("shop"))
            #expect(try store.updateState(of: name("shop"))?.heldVersion == version("2.0.0"))
            try store.setHold(false, name("shop"))
            #expect(try store.updateState(of: name("shop"))?.heldVersion == nil)
            #expect(try store.verify() == [])
            try directory.changeCatalog("DELETE FROM bundle")
            #expect(try directory.openStore().updateState(of: name("shop"))?.heldVersion == nil)
        }
    }

    @Test("an unknown bundle can't be put on hold")
    func unknown() async throws {
        try await withStore { store, _ in
            let error = #expect(throws: BundleError.self) { try store.setHold(true, name("shop")) }
            #expect(error?.code == .notFound)
        }
    }

    @Test("the highest number of each feed is kept, and its URL isn't written")
    func sequences() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            #expect(try store.highestSequence(of: name("shop"), feed: feed) == nil)
            for sequence: Int64 in [3, 7, 5] { try store.recordSequence(sequence, of: name("shop"), feed: feed) }
            #expect(try directory.openStore().highestSequence(of: name("shop"), feed: feed) == 7)
            #expect(try store.highestSequence(of: name("shop"), feed: feed + "2") == nil)
            #expect(try store.highestSequence(of: name("docs"), feed: feed) == nil)
            let rows = try store.catalog.connection.read { try Row.fetchAll($0, sql: "SELECT * FROM seenFeed") }
            #expect(rows.count == 1)
            #expect(rows.allSatisfy { !"\($0)".contains("secret") })
        }
    }

    @Test("a number that can't be read counts as none, and is replaced")
    func damagedSequence() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            try store.recordSequence(7, of: name("shop"), feed: feed)
            try directory.changeCatalog("UPDATE seenFeed SET sequence = 'many'")
            #expect(try store.highestSequence(of: name("shop"), feed: feed) == nil)
            try store.recordSequence(5, of: name("shop"), feed: feed)
            #expect(try store.highestSequence(of: name("shop"), feed: feed) == 5)
        }
    }

    @Test("of one bundle eight feeds and 32 failed archives are remembered, the latest")
    func bounds() async throws {
        let clock = TestClock()
        try await withStore(clock: clock) { store, _ in
            try store.install("1.0.0")
            for number in 1...40 {
                clock.advance(by: .seconds(1))
                try store.recordSequence(Int64(number), of: name("shop"), feed: "https://a.test/\(number)")
                let digest = Digest(of: [UInt8(number)])
                try store.recordFailure(of: name("shop"), version("1.\(number)"), digest, reason: "bad")
            }
            let seen = try (1...40).filter { number in
                try store.highestSequence(of: name("shop"), feed: "https://a.test/\(number)") != nil
            }
            #expect(seen == Array(33...40))
            #expect(try store.failedReleases(of: name("shop")).map(\.version.string) == (9...40).map { "1.\($0)" })
        }
    }

    @Test("a failed archive is remembered with its reason until it is forgotten")
    func failures() async throws {
        let clock = TestClock()
        try await withStore(clock: clock) { store, directory in
            try store.install("1.0.0")
            let digest = Digest(of: [1])
            try store.recordFailure(of: name("shop"), version("1.1.0"), digest, reason: "no “archive”\n")
            let expected = FailedRelease(
                version: try version("1.1.0"),
                digest: digest,
                reason: "no “archive”\n",
                date: clock.date
            )
            #expect(try directory.openStore().failedReleases(of: name("shop")) == [expected])
            #expect(try store.failedReleases(of: name("docs")) == [])
            try store.forgetFailures(of: name("docs"))
            #expect(try store.failedReleases(of: name("shop")) == [expected])
            try store.forgetFailures(of: name("shop"))
            #expect(try store.failedReleases(of: name("shop")) == [])
        }
    }

    @Test("a bundle that is removed takes it all along, a version its own, and replacing a release nothing")
    func removed() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0", ["index.html": "1"])
            try store.install("2.0.0", ["index.html": "2"])
            try store.setHold(true, name("shop"))
            try store.rollBack(name("shop"))
            try store.recordSequence(7, of: name("shop"), feed: feed)
            try store.recordFailure(of: name("shop"), version("3"), Digest(of: [1]), reason: "bad")
            try store.install("1.0.0", ["index.html": "other"], replacing: true)
            try store.remove(name("shop"), version("2.0.0"))
            #expect(try store.bundle(name("shop")).lifecycle.left == [])
            #expect(try store.updateState(of: name("shop"))?.isOnHold == true)
            #expect(try store.highestSequence(of: name("shop"), feed: feed) == 7)
            try store.remove(name("shop"), nil)
            try store.install("1.0.0")
            #expect(try store.updateState(of: name("shop"))?.isOnHold == false)
            #expect(try store.highestSequence(of: name("shop"), feed: feed) == nil)
            #expect(try store.failedReleases(of: name("shop")) == [])
        }
    }

    @Test("the store has one identifier, whichever process makes it, and another store another")
    func identifier() async throws {
        try await withStore { store, directory in
            let identifier = try store.installationIdentifier()
            #expect(try directory.openStore().installationIdentifier() == identifier)
            try await withStore { other, _ in
                let another = try other.installationIdentifier()
                #expect(another != identifier)
            }
            try directory.changeCatalog("UPDATE installation SET identifier = 'me'")
            let renewed = try store.installationIdentifier()
            #expect(try directory.openStore().installationIdentifier() == renewed)
            try store.forgetInstallationIdentifier()
            #expect(try directory.openStore().installationIdentifier() != renewed)
        }
    }

    @Test("each machine with a copy of the store's disk makes an identifier of its own")
    func copies() async throws {
        try await withStore { store, directory in
            let machines = ["0", "1"].map { digit in
                MachineFingerprint(machineIdentifier: String(repeating: digit, count: 32).utf8)
            }
            // Without a number, as on an image, it is the store's; the first machine that has one keeps it.
            let first = try store.installationIdentifier(on: nil)
            #expect(try store.installationIdentifier(on: machines[0]) == first)
            #expect(try store.installationIdentifier(on: machines[0]) == first)
            #expect(try directory.openStore().installationIdentifier(on: nil) == first)
            let second = try store.installationIdentifier(on: machines[1])
            #expect(second != first)
            #expect(try directory.openStore().installationIdentifier(on: machines[1]) == second)
        }
    }
}
