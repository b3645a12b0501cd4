import BundleTesting
import GRDB
import Testing

@testable import BundleStore

/// The catalog's records of the publishers whose state browsers keep.
@Suite("The publishers that a catalog remembers")
struct PublisherTests {
    private static let (a, b) = ("https://a.example/", "https://b.example/")

    /// An event in a bundle's life.
    enum Step: Sendable {
        case install(String, [String], activates: Bool = true)
        case remove
        case rollBack
    }

    @Test(
        "give a bundle a new mark when its name passes to another publisher, and only then",
        arguments: [
            ([.install("1", [a]), .install("2", [a])], false),
            ([.install("1", [a]), .install("2", [a, b]), .install("3", [b])], false),
            ([.install("1", []), .install("2", [])], false),
            ([.install("1", [a]), .remove, .install("1", [a])], false),
            ([.install("1", [a]), .install("2", [b], activates: false)], false),
            ([.install("1", [a]), .install("2", [b])], true),
            ([.install("1", [a]), .remove, .install("1", [b])], true),
            ([.install("1", [a]), .remove, .install("2", [])], true),
            ([.install("1", []), .remove, .install("1", [b])], true),
            ([.install("1", [a]), .remove, .remove, .install("1", [b])], true),
            ([.install("1", [a]), .install("2", [b]), .rollBack], true),
            ([.install("1", [a]), .install("1", [b])], true),
        ] as [([Step], Bool)]
    )
    func marks(_ steps: [Step], _ isMarked: Bool) async throws {
        try await withTemporaryDirectory { directory in
            for step in steps { try perform(step, in: directory) }
            let store = try directory.openStore()
            #expect(try (store.mark(of: "shop") != nil) == isMarked)
            #expect(try store.verify() == [])
        }
    }

    @Test("each get a different mark in turn, which later versions keep")
    func successors() async throws {
        try await withStore { store, directory in
            var marks: [String?] = []
            for (number, origin) in [Self.a, Self.b, Self.b, Self.a].enumerated() {
                try perform(.install("\(number + 1)", [origin]), in: directory)
                try store.refresh()
                marks.append(try store.mark(of: "shop"))
            }
            #expect(marks[0] == nil)
            #expect(marks[1]?.utf8.count == 32)
            #expect(marks[2] == marks[1])
            #expect(marks[3] != nil && marks[3] != marks[1])
        }
    }

    @Test("don't affect bundles of other names")
    func others() async throws {
        try await withStore { store, directory in
            for name in ["shop", "news"] { try store.install(.sample(name, origins: [Self.a]), files: ["a": "a"]) }
            try store.install(.sample("shop", "2", origins: [Self.b]), files: ["a": "a"])
            #expect(try store.mark(of: "shop") != nil)
            #expect(try store.mark(of: "news") == nil)
        }
    }

    @Test("of removed bundles are bounded in number, and a possibly forgotten name counts as another publisher's")
    func bounded() async throws {
        try await withStore { store, _ in
            let count = PublisherTable.maximumRemovedCount
            try store.catalog.connection.write { database in
                for number in 1...count {
                    try PublisherTable.write(
                        BundlePublisher(authorities: []),
                        of: "n\(number)",
                        mark: nil,
                        in: database
                    )
                }
            }
            try store.install(.sample(origins: [Self.a]), files: ["a": "a"])
            #expect(try store.mark(of: "shop") == nil)
            try store.remove(name("shop"), nil)
            #expect(try store.publisherNames().count == count + 1)
            #expect(try !store.publisherNames().contains("n1"))
            #expect(try store.publisherNames().isSuperset(of: ["", "n2", "shop"]))
            for name in ["n1", "new"] {
                try store.install(.sample(name, origins: [Self.a]), files: ["a": "a"])
                #expect(try store.mark(of: name) != nil)
            }
            try store.install(.sample(origins: [Self.a]), files: ["a": "a"])
            #expect(try store.mark(of: "shop") == nil, "it is remembered")
        }
    }

    @Test(
        "are reported when they were edited or deleted, and rewritten",
        arguments: [
            ("UPDATE publisher SET mark = NULL WHERE name = 'shop'", true),
            ("UPDATE publisher SET authorities = 'evil.example' WHERE name = 'shop'", true),
            ("UPDATE publisher SET authorities = x'ff' WHERE name = 'shop'", true),
            ("UPDATE publisher SET name = 'shoq' WHERE name = 'shop'", true),
            ("DELETE FROM publisher WHERE name = 'shop'", true),
            ("UPDATE publisher SET number = 'x' WHERE name = 'gone'", false),
        ]
    )
    func damaged(_ sql: String, _ isOfBundle: Bool) async throws {
        try await withTemporaryDirectory { directory in
            try perform(.install("1", [Self.a]), in: directory)
            try perform(.install("2", [Self.b]), in: directory)
            do {
                let store = try directory.openStore()
                try store.install(.sample("gone", origins: [Self.a]), files: ["a": "a"])
                try store.remove(name("gone"), nil)
            }
            let mark = try directory.openStore().mark(of: "shop")
            try directory.changeCatalog(sql)
            let damage = try directory.openStore().verify()
            #expect(damage.map(\.problem).contains { $0.contains("whose state browsers keep") })
            let report = try directory.openStore().beginRepair().commit(waits: false)
            #expect(report.damage == [])
            #expect(report.repaired.contains { $0.item?.contains("publisher") == true })
            let store = try directory.openStore()
            #expect(try store.verify() == [])
            #expect(try store.mark(of: "shop") != nil)
            #expect(try (store.mark(of: "shop") != mark) == isOfBundle)
            // The publisher of state under a damaged name is no longer known.
            try store.install(.sample("gone", origins: [Self.a]), files: ["a": "a"])
            #expect(try (store.mark(of: "gone") != nil) == !isOfBundle)
        }
    }

    @Test("are those of the active versions after a migration from the fourth version")
    func migrated() async throws {
        try await withTemporaryDirectory { directory in
            try perform(.install("1", [Self.a]), in: directory)
            try directory.changeCatalog(
                String.withoutCacheTables
                    + "DROP TABLE publisher; DELETE FROM grdb_migrations WHERE identifier IN ('5', '6', '7'); PRAGMA user_version = 4"
            )
            #expect(try directory.openStore().verify() == [])
            #expect(try directory.openStore().mark(of: "shop") == nil)
            try perform(.install("2", [Self.a]), in: directory)
            #expect(try directory.openStore().mark(of: "shop") == nil)
            try perform(.remove, in: directory)
            try perform(.install("2", [Self.b]), in: directory)
            #expect(try directory.openStore().mark(of: "shop") != nil)
        }
    }

    @Test("have a mark for a stand-in of another publisher while the active version is damaged")
    func fallbackRelease() async throws {
        try await withTemporaryDirectory { directory in
            try perform(.install("1", [Self.a]), in: directory)
            try perform(.install("2", [Self.b]), in: directory)
            let mark = try #require(try directory.openStore().mark(of: "shop"))
            try directory.write("damaged", to: directory.index(of: "2"))
            let store = try directory.openStore()
            #expect(store.snapshot.bundles[try name("shop")]?.serving?.version.string == "1")
            let other = try #require(try store.mark(of: "shop"))
            #expect(other != mark)
        }
    }

    private func perform(_ step: Step, in directory: TemporaryDirectory) throws {
        let store = try directory.openStore()
        switch step {
        case .install(let version, let origins, let activates):
            try store.install(
                .sample("shop", version, origins: origins),
                files: ["index.html": version + origins.joined()],
                activating: activates,
                replacing: true
            )
        case .remove: _ = try? store.remove(name("shop"), nil)
        case .rollBack: try store.rollBack(name("shop"))
        }
    }
}

extension BundleStore {
    fileprivate func mark(of bundle: String) throws -> String? {
        try #require(snapshot.bundles[try name(bundle)]).publisherMark
    }

    fileprivate func publisherNames() throws -> Set<String> {
        try catalog.connection.read { Set(try String.fetchAll($0, sql: "SELECT name FROM publisher")) }
    }
}
