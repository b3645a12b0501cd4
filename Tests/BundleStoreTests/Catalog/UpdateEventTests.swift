import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("The journal of a store")
struct UpdateEventTests {
    private func kinds(_ store: BundleStore) throws -> [String] {
        try store.history(of: name("shop")).map { event in
            ([event.previous?.string, event.version?.string].compactMap(\.self) + [event.kind.rawValue])
                .joined(separator: " ")
        }
    }

    @Test("installing, activating and rolling back are recorded with what they do, over restarts")
    func changes() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["index.html": "1"])
            try store.install("1.1.0", ["index.html": "2"])
            try store.rollBack(name("shop"))
            try store.install("1.2.0", ["index.html": "3"], activating: false)
            try store.activate(name("shop"), version("1.2.0"))
            let expected = [
                "1.0.0 installed", "1.0.0 activated", "1.1.0 installed", "1.0.0 1.1.0 activated",
                "1.1.0 1.0.0 rolledBack", "1.2.0 installed", "1.0.0 1.2.0 activated",
            ]
            #expect(try kinds(store) == expected)
            #expect(try kinds(directory.openStore()) == expected)
            #expect(try store.verify() == [])
        }
    }

    @Test("the latest events are told first, as many as are wanted", arguments: [(0, 0), (3, 3), (100, 4)])
    func latest(_ count: Int, _ expected: Int) async throws {
        try await withStore { store, _ in
            for version in ["1.0.0", "1.1.0"] { try store.install(version, ["index.html": version]) }
            #expect(try store.latestEvents(count) == store.history().reversed().prefix(expected).map(\.self))
        }
    }

    @Test("the last event of a kind is found, also that of one version")
    func last() async throws {
        try await withStore { store, _ in
            #expect(try store.lastEventNumber() == 0)
            try store.install("1.0.0")
            for (version, notes) in [("1.1.0", "a"), ("1.2.0", "b"), (nil, nil)] {
                let version = version.flatMap { BundleVersion($0) }
                try store.record(
                    UpdateEvent(.decided, try name("shop"), at: store.now(), version: version, detail: notes)
                )
            }
            let last = try #require(try store.lastEvent(.decided, of: name("shop")))
            #expect((last.version, last.number) == (nil, try store.lastEventNumber()))
            #expect(try store.lastEvent(.decided, of: name("shop"), version("1.1.0"))?.detail == "a")
            #expect(try store.lastEvent(.decided, of: name("shop"), version("1.3.0")) == nil)
            #expect(try store.lastEvent(.fetched, of: name("shop")) == nil)
        }
    }

    @Test("what changes nothing isn't recorded, and neither is what fails")
    func nothing() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0")
            let before = try kinds(store)
            try store.install("1.0.0")
            try store.activate(name("shop"), version("1.0.0"))
            #expect(throws: BundleError.self) { try store.rollBack(name("shop")) }
            #expect(throws: BundleError.self) { try store.install("1.0.0", ["index.html": "other"]) }
            #expect(try kinds(store) == before)
        }
    }

    @Test("checks, choices and failures are recorded when they differ from the last of their kind; others always")
    func repetition() async throws {
        let clock = TestClock()
        try await withStore(clock: clock) { store, _ in
            try store.install("1.0.0")
            let before = try store.history().count
            func event(_ kind: UpdateEvent.Kind, _ detail: String) throws -> UpdateEvent {
                clock.advance(by: .seconds(60))
                return UpdateEvent(kind, try name("shop"), at: clock.date, detail: detail)
            }
            for detail in ["a", "a", "b", "a"] {
                for kind in [UpdateEvent.Kind.checked, .failed, .reported] { try store.record(event(kind, detail)) }
            }
            let recorded = try store.history().dropFirst(before)
            #expect(recorded.filter { $0.kind == .checked }.map(\.detail) == ["a", "b", "a"])
            #expect(recorded.filter { $0.kind == .failed }.map(\.detail) == ["a", "b", "a"])
            #expect(recorded.filter { $0.kind == .reported }.map(\.detail) == ["a", "a", "b", "a"])
        }
    }

    @Test("a failure is recorded again after something has succeeded; failures leave room for everything else")
    func failures() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0")
            func record(_ kind: UpdateEvent.Kind, _ detail: String? = nil) throws {
                try store.record(UpdateEvent(kind, try name("shop"), at: store.now(), detail: detail))
            }
            for _ in 1...2 {
                for _ in 1...2 { try record(.failed, "gone") }
                try record(.recovered)
            }
            let kinds = try store.history().map(\.kind).suffix(4)
            #expect(kinds == [.failed, .recovered, .failed, .recovered])
            for number in 1...60 { try record(.failed, "ended after \(number) bytes") }
            let history = try store.history()
            #expect(history.filter { $0.kind == .failed }.map(\.detail) == (11...60).map { "ended after \($0) bytes" })
            #expect(history.contains { $0.kind == .activated })
        }
    }

    @Test("a repeated check writes nothing")
    func unwritten() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            let event = UpdateEvent(.checked, try name("shop"), at: store.now(), version: try version("1.0.0"))
            try store.record(event)
            let before = try directory.storeFiles()
            try store.record(event)
            #expect(try directory.storeFiles() == before)
        }
    }

    @Test("200 events of a bundle are kept, and 2,000 in all: the latest")
    func bounds() async throws {
        try await withStore { store, _ in
            for number in 1...12 { try store.install("1", of: "b\(number)") }
            try store.catalog.connection.write { database in
                for number in 1...210 {
                    let event = UpdateEvent(.reported, try name("b1"), at: store.now(), detail: "\(number)")
                    try HistoryTable.record(event, in: database)
                }
            }
            #expect(try store.history(of: name("b1")).map(\.detail) == (11...210).map { "\($0)" })
            try store.catalog.connection.write { database in
                for number in 1...210 {
                    for bundle in 1...12 {
                        let event = UpdateEvent(
                            .reported,
                            try name("b\(bundle)"),
                            at: store.now(),
                            detail: "\(number)"
                        )
                        try HistoryTable.record(event, in: database)
                    }
                }
            }
            let all = try store.history()
            #expect(all.count == 2_000)
            #expect(all.map(\.number) == all.map(\.number).sorted())
            #expect(try store.history(of: name("b12")).last?.detail == "210")
            try store.record(UpdateEvent(.reported, name("b12"), at: store.now(), detail: "211"))
            #expect(try store.history(of: name("b12")).last?.detail == "211")
            #expect(try store.history(of: name("b12")).count <= 200)
        }
    }

    @Test(
        "a long text is cut at 512 bytes, and no character is",
        arguments: [
            (String(repeating: "x", count: 512), 512), (String(repeating: "x", count: 513), 512),
            (String(repeating: "é", count: 400), 512), (String(repeating: "€", count: 400), 510), ("", 0),
        ]
    )
    func text(_ text: String, _ byteCount: Int) async throws {
        try await withStore { store, _ in
            try store.install("1.0.0")
            try store.record(UpdateEvent(.reported, name("shop"), at: store.now(), detail: text))
            let detail = try #require(try store.history().last?.detail)
            #expect(detail.utf8.count == byteCount)
            #expect(text.hasPrefix(detail))
        }
    }

    @Test("a row that can't be read is left out, such as one of a newer program")
    func damage() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            try directory.changeCatalog("UPDATE updateEvent SET kind = 'teleported' WHERE kind = 'installed'")
            #expect(try kinds(store) == ["1.0.0 activated"])
            try directory.changeCatalog("UPDATE updateEvent SET date = 'yesterday', version = 7")
            #expect(try kinds(store) == [])
            try store.install("1.1.0", ["index.html": "2"])
            #expect(try kinds(store) == ["1.1.0 installed", "1.0.0 1.1.0 activated"])
        }
    }

    @Test("the journal of a bundle goes with it, and an unknown bundle has none")
    func removal() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0")
            try store.install("1.0.0", of: "news")
            try store.remove(name("shop"), nil)
            #expect(try Set(store.history().map(\.bundle.string)) == ["news"])
            let error = #expect(throws: BundleError.self) { try store.history(of: name("shop")) }
            #expect(error?.code == .notFound)
        }
    }
}
