import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPTypes
import Testing

@Suite("What updates write into the journal")
struct UpdateJournalTests {
    private func lines(_ fixture: UpdaterFixture) throws -> [String] {
        try fixture.store.history(of: UpdaterFixture.name).dropFirst(2).map { event in
            [event.kind.rawValue, event.previous?.string, event.version?.string, event.plan]
                .compactMap(\.self).joined(separator: " ")
        }
    }

    @Test("an update is checked, decided, fetched, installed and activated")
    func update() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(
                try lines(fixture) == [
                    "checked 1.0.0 1.1.0", "decided 1.0.0 1.1.0", "fetched 1.1.0 archive", "installed 1.1.0",
                    "activated 1.0.0 1.1.0",
                ]
            )
            let fetched = try #require(try fixture.store.history().first { $0.kind == .fetched })
            #expect(fetched.predictedByteCount == Int64(archive.count))
        }
    }

    @Test("checks that find the same as the last one add nothing")
    func unchanged() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish("1.0.0")
            for _ in 1...3 { _ = try await fixture.updater.check(UpdaterFixture.name) }
            #expect(try lines(fixture) == ["checked 1.0.0 1.0.0"])
            fixture.publish("1.1.0")
            for _ in 1...3 { _ = try await fixture.updater.check(UpdaterFixture.name) }
            #expect(try lines(fixture) == ["checked 1.0.0 1.0.0", "checked 1.0.0 1.1.0", "decided 1.0.0 1.1.0"])
        }
    }

    @Test("a check alone records its choice with the notes, and again when these have changed")
    func choice() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            for notes in ["A darker footer.", "A darker footer.", "A lighter footer."] {
                fixture.publish([("1.1.0", [])], members: ["1.1.0": #""notes": "\#(notes)""#])
                _ = try await fixture.updater.check(UpdaterFixture.name)
            }
            let choices = try fixture.store.history().filter { $0.kind == .decided }
            #expect(choices.map(\.detail) == ["A darker footer.", "A lighter footer."])
            #expect(choices.allSatisfy { $0.version?.string == "1.1.0" && $0.previous?.string == "1.0.0" })
        }
    }

    @Test(
        "a check that chooses nothing any more records that once",
        arguments: [#""revoked": true"#, #""minimumShell": "2""#, #""rollout": 0"#, nil]
    )
    func noChoice(_ member: String?) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish("1.1.0")
            _ = try await fixture.updater.check(UpdaterFixture.name)
            if let member {
                fixture.publish([("1.1.0", [])], members: ["1.1.0": member])
            } else {
                try fixture.store.setHold(true, UpdaterFixture.name)
            }
            for _ in 1...2 { _ = try await fixture.updater.check(UpdaterFixture.name) }
            #expect(try lines(fixture).filter { $0.hasPrefix("decided") } == ["decided 1.0.0 1.1.0", "decided 1.0.0"])
        }
    }

    @Test("that an update has left nothing to choose isn't recorded; that a rollback has is")
    func installed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish("1.1.0")
            _ = try await fixture.updater.update(UpdaterFixture.name)
            _ = try await fixture.updater.check(UpdaterFixture.name)
            #expect(try lines(fixture).last == "checked 1.1.0 1.1.0")
            try fixture.store.rollBack(UpdaterFixture.name)
            _ = try await fixture.updater.check(UpdaterFixture.name)
            #expect(try lines(fixture).last == "decided 1.0.0")
        }
    }

    @Test("a failure is recorded once with its reason and its version, however often it is repeated")
    func failures() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish([("1.1.0", [])]) { _ in Array("this is no archive".utf8) }
            let failure = try #require(await fixture.failure())
            _ = await fixture.failure()
            _ = await fixture.failure()
            let failures = try fixture.store.history().filter { $0.kind == .failed }
            #expect(failures.first?.version?.string == "1.1.0")
            #expect(failures.first?.detail == failure.description)
            #expect(failures.count <= 2, "the archive can't be used, and then that it failed before")
        }
    }

    @Test("the end of failures is recorded, and the same failure is, when it comes back")
    func recovery() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            for _ in 1...2 {
                fixture.network.response(UpdaterFixture.feed, .notFound, [:], "")
                for _ in 1...2 { _ = await fixture.failure() }
                fixture.publish("1.0.0")
                for _ in 1...2 { _ = await fixture.failure() }
            }
            let kinds = try fixture.store.history().map(\.kind).filter { [.failed, .recovered].contains($0) }
            #expect(kinds == [.failed, .recovered, .failed, .recovered])
        }
    }

    @Test("the revocation of the active release is recorded with what takes its place")
    func revoked() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            try fixture.install("1.1.0")
            let members = ["1.1.0": #""revoked": true"#]
            fixture.publish([("1.0.0", []), ("1.1.0", [])], members: members)
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(
                try lines(fixture).suffix(4) == [
                    "checked 1.1.0 1.0.0", "revoked 1.1.0", "decided 1.1.0 1.0.0", "activated 1.1.0 1.0.0",
                ]
            )
        }
    }
}
