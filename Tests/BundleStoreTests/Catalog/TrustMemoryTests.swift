import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("What is trusted of a feed")
struct TrustMemoryTests {
    private static let name = BundleName("shop")
    private static let anchor = Digest(of: [1])
    private static let first = [
        document("root.json", 1), document("timestamp.json", 7), document("snapshot.json", 5),
        document("targets.json", 3),
        document("feed.json", 9),
    ]

    private static func document(_ name: String, _ version: Int64) -> TrustedDocument {
        TrustedDocument(name, version: version, Array("\(name) \(version)".utf8))
    }

    /// Calls `body` with a store that trusts the feed of `shop`.
    private func withTrust(_ body: (BundleStore, TemporaryDirectory) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let store = try directory.openStore()
            try store.trust(Self.name, by: Self.anchor, isPinned: true, Self.first)
            try body(store, directory)
        }
    }

    private func version(_ document: String, in store: BundleStore) throws -> Int64? {
        try store.trustedDocument(document, of: Self.name)?.version
    }

    @Test("it is there in a later process as it was received, until an operator ends it")
    func kept() async throws {
        try await withTrust { _, directory in
            let store = try directory.openStore()
            let anchor = try store.trustAnchor(of: Self.name)
            #expect(anchor?.digest == Self.anchor)
            #expect(anchor?.isPinned == true)
            #expect(try store.trustAnchors().keys.map(\.string) == ["shop"])
            for document in Self.first {
                #expect(try store.trustedDocument(document.name, of: Self.name) == document)
            }
            #expect(try store.endTrust(of: Self.name))
            #expect(try !store.endTrust(of: Self.name))
            #expect(try store.trustAnchor(of: Self.name) == nil)
            #expect(try version("root.json", in: store) == nil)
        }
    }

    @Test(
        "the clock by which signatures expire is the machine's until an operator says otherwise, for each later process"
    )
    func clock() async throws {
        try await withTrust { store, directory in
            #expect(try store.trustClock() == .machine)
            for clock in [TrustClock.absent, .absent, .machine] {
                try store.setTrustClock(clock)
                #expect(try directory.openStore().trustClock() == clock)
            }
            try directory.changeCatalog("UPDATE trustClock SET clock = 'sun'")
            #expect(try directory.openStore().trustClock() == .machine)
        }
    }

    @Test("it stays when its bundle is removed")
    func removed() async throws {
        try await withTrust { store, _ in
            try store.install(try .sample(), files: ["a": "a"])
            _ = try store.remove(Self.name, nil)
            #expect(try store.trustAnchor(of: Self.name)?.digest == Self.anchor)
            #expect(try version("root.json", in: store) == 1)
        }
    }

    @Test("a second anchor isn't taken, and the same one changes nothing")
    func secondAnchor() async throws {
        try await withTrust { store, _ in
            #expect(throws: BundleError.self) {
                try store.trust(Self.name, by: Digest(of: [2]), isPinned: false, Self.first)
            }
            let older = [Self.document("timestamp.json", 1)]
            try store.trust(Self.name, by: Self.anchor, isPinned: false, older)
            #expect(try store.trustAnchor(of: Self.name)?.isPinned == true)
            #expect(try version("timestamp.json", in: store) == 7)
        }
    }

    @Test(
        "nothing goes back",
        arguments: [
            ("root.json", 1, false), ("root.json", 2, true), ("root.json", 3, false),
            ("timestamp.json", 6, false), ("timestamp.json", 7, true), ("timestamp.json", 8, true),
            ("snapshot.json", 4, false), ("snapshot.json", 6, true),
            // The snapshot says which version of these is right.
            ("targets.json", 2, true), ("feed.json", 8, true),
        ] as [(String, Int64, Bool)]
    )
    func order(_ name: String, _ new: Int64, _ isTaken: Bool) async throws {
        try await withTrust { store, _ in
            let before = try version(name, in: store)
            let document = Self.document(name, new)
            do {
                try store.keep(document, of: Self.name, by: Self.anchor, root: 1)
                #expect(isTaken)
            } catch let error as BundleError {
                #expect(error.code == .storeBusy)
                #expect(!isTaken)
            }
            #expect(try version(name, in: store) == (isTaken ? new : before))
        }
    }

    @Test(
        "a timestamp and a snapshot begin again once a root has dropped them, and those of the earlier root don't return"
    )
    func dropped() async throws {
        try await withTrust { store, _ in
            let root = Self.document("root.json", 2)
            try store.keep(
                root,
                of: Self.name,
                by: Self.anchor,
                root: 1,
                dropping: ["timestamp.json", "snapshot.json"]
            )
            #expect(try version("timestamp.json", in: store) == nil)
            #expect(try version("snapshot.json", in: store) == nil)
            #expect(try version("targets.json", in: store) == 3)
            let late = Self.document("timestamp.json", 8)
            #expect(throws: BundleError.self) { try store.keep(late, of: Self.name, by: Self.anchor, root: 1) }
            try store.keep(Self.document("timestamp.json", 1), of: Self.name, by: Self.anchor, root: 2)
            #expect(try version("timestamp.json", in: store) == 1)
        }
    }

    @Test("what was verified by an anchor that is no longer there isn't kept")
    func otherAnchor() async throws {
        try await withTrust { store, _ in
            let document = Self.document("timestamp.json", 8)
            #expect(throws: BundleError.self) {
                try store.keep(document, of: Self.name, by: Digest(of: [2]), root: 1)
            }
            _ = try store.endTrust(of: Self.name)
            #expect(throws: BundleError.self) { try store.keep(document, of: Self.name, by: Self.anchor, root: 1) }
            #expect(try version("timestamp.json", in: store) == nil)
        }
    }

    @Test(
        "a root or an anchor that can't be read isn't taken for none",
        arguments: [
            "UPDATE trustedDocument SET content = x'00' WHERE name = 'root.json'",
            "UPDATE trustedDocument SET digest = 1", "UPDATE trustAnchor SET digest = 'x'",
            "UPDATE trustAnchor SET since = 'x'", "UPDATE trustAnchor SET isPinned = 7",
        ]
    )
    func damagedRoot(_ sql: String) async throws {
        try await withTrust { store, directory in
            try directory.changeCatalog(sql)
            let error = #expect(throws: BundleError.self) {
                _ = try store.trustAnchor(of: Self.name)
                _ = try store.trustedDocument("root.json", of: Self.name)
            }
            #expect(error?.code == .storeDamaged)
            #expect(try store.endTrust(of: Self.name))
        }
    }

    @Test("another document that can't be read counts as none")
    func damagedDocument() async throws {
        try await withTrust { store, directory in
            try directory.changeCatalog("UPDATE trustedDocument SET content = x'00' WHERE name = 'timestamp.json'")
            #expect(try version("timestamp.json", in: store) == nil)
        }
    }

    @Test("the 32 documents of delegated roles that were written last are kept")
    func delegated() async throws {
        try await withTrust { store, _ in
            for number in 1...40 {
                let document = Self.document("role\(number).json", 1)
                try store.keep(document, of: Self.name, by: Self.anchor, root: 1)
            }
            #expect(try version("role8.json", in: store) == nil)
            #expect(try version("role9.json", in: store) == 1)
            #expect(try version("targets.json", in: store) == 3)
        }
    }
}
