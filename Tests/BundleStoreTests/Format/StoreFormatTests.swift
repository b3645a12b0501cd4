import BundleTesting
import Foundation
import GRDB
import Testing

@testable import BundleCoding
@testable import BundleStore

/// Files written by the program, read by a reader that takes every offset, size and constant from StoreFormat.md.
@Suite("The store's format is as it is written down")
struct StoreFormatTests {
    private static let versions = [
        "1.0.0": ["index.html": "page", "größe/日本語.svg": "<svg>", "empty": "", "copy.html": "page", "app.js": "old"],
        "2.0.0": ["index.html": "page", "app.js": "new", "a/b/c": String(repeating: "long", count: 1_000)],
    ]

    private func withSampleStore(_ body: (BundleStore, TemporaryDirectory, StoreFormatDocument) throws -> Void)
        async throws
    {
        try await withStore { store, directory in
            for (version, files) in Self.versions.sorted(by: { $0.key < $1.key }) { try store.install(version, files) }
            try body(store, directory, try StoreFormatDocument())
        }
    }

    @Test("of a segment: header and contents")
    func segments() async throws {
        try await withSampleStore { _, directory, document in
            let fields = try document.fields("Segment")
            let names = try directory.names(in: "segments")
            #expect(names.count == 2)
            for name in names {
                let bytes = try directory.read("store/segments/\(name)")
                let file = try DocumentedFile(bytes, fields)
                let zero = try fields.named("zero")
                let contents = try fields.named("contents")
                #expect(bytes[zero.offset..<contents.offset].allSatisfy { $0 == 0 })
                #expect(zero.offset + (zero.byteCount ?? 0) == contents.offset)
                #expect(try file.number("size of this header") == contents.offset)
            }
        }
    }

    @Test("of an index: the digest, the entries, both hash tables, and where each content is")
    func indexes() async throws {
        try await withSampleStore { store, directory, document in
            for (version, files) in Self.versions {
                let release = try store.release(version)
                let bytes = try directory.read("store/indexes/\(release.index.identifier.name).index")
                let index = try DocumentedIndex(bytes, document)
                #expect(try index.isIntact())
                #expect(
                    index.entries.map { Array($0.path.utf8) }
                        == files.keys.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
                )
                for (number, entry) in index.entries.enumerated() {
                    let segment = try directory.read("store/segments/\(entry.segment).segment")
                    let content = Array(segment[entry.content])
                    #expect(String(decoding: content, as: UTF8.self) == files[entry.path])
                    #expect(entry.digest == Digest(of: content).bytes)
                    #expect(entry.mediaType == (entry.path.hasSuffix(".js") ? "text/javascript" : "text/html"))
                    #expect(try index.number(ofPath: entry.path) == number)
                    let first = index.entries.firstIndex { $0.digest == entry.digest }
                    #expect(try index.number(ofContent: entry.digest) == first)
                }
                #expect(try index.number(ofPath: "missing") == nil)
                #expect(try index.number(ofContent: Digest(of: [0]).bytes) == nil)
            }
        }
    }

    @Test("of an index: its tables follow each other, and nothing follows the names")
    func tables() async throws {
        try await withSampleStore { store, directory, document in
            let identifier = try store.release("1.0.0").index.identifier.name
            let index = try DocumentedIndex(directory.read("store/indexes/\(identifier).index"), document)
            let file = index.file
            var end = try file.number("size of this header")
            for (table, count, size) in [
                ("entries", "entries", 64), ("path buckets", "path buckets", 4),
                ("digest buckets", "digest buckets", 4),
                ("segments", "segments", 16), ("media types", "media types", 8),
            ] {
                #expect(try file.number("offset of the \(table)") == end)
                end += size * (try file.number("number of \(count)"))
            }
            #expect(try file.number("offset of the names") == end)
            end += index.entries.reduce(0) { $0 + $1.path.utf8.count }
            end += Set(index.entries.map(\.mediaType)).reduce(0) { $0 + $1.utf8.count }
            #expect(end == file.bytes.count)
        }
    }

    @Test(
        "of an index: where a name has a hash, and why it is known",
        arguments: [("app.4f3a9c21.js", 6..<14, 5), ("app.js", 0..<0, 0)]
    )
    func names(name: String, hash: Range<Int>, reason: Int) async throws {
        try await withSampleStore { store, directory, document in
            try store.install("9.0.0", ["a/\(name)": "1"])
            let identifier = try store.release("9.0.0").index.identifier.name
            let index = try DocumentedIndex(directory.read("store/indexes/\(identifier).index"), document)
            let entry = try #require(index.entries.first)
            #expect(entry.hash == hash)
            #expect(entry.immutability == reason)
            #expect(try index.file.number("1 when the entries say") == 1)
        }
    }

    @Test("of a variant: what it is of, its coding, and its bytes")
    func variants() async throws {
        try await withSampleStore { store, directory, document in
            let fields = try document.fields("Variant")
            let (content, dictionary) = (Digest(of: Array("page".utf8)), Digest(of: Array("old".utf8)))
            for key in [VariantKey(content, .brotli), VariantKey(content, from: dictionary)] {
                try VariantStore(store).save(Array("coded".utf8), as: key)
                let file = try DocumentedFile(directory.read("store/variants/\(key.fileName)"), fields)
                func bytes(_ words: String) throws -> [UInt8] {
                    let field = try fields.named(words)
                    return Array(file.bytes[field.offset...].prefix(field.byteCount ?? .max))
                }
                #expect(try file.number("coding") == Int(key.coding.rawValue))
                #expect(try file.number("zero") == 0)
                #expect(try bytes("SHA-256 of the content") == content.bytes)
                let expected = key.dictionary?.bytes ?? [UInt8](repeating: 0, count: Digest.byteCount)
                #expect(try bytes("SHA-256 of the dictionary") == expected)
                #expect(try bytes("SHA-256 of the coded bytes") == Digest(of: Array("coded".utf8)).bytes)
                #expect(try bytes("coded bytes") == Array("coded".utf8))
            }
        }
    }

    @Test("of the catalog: its version, its tables and their columns, and which index and segments a release has")
    func catalog() async throws {
        try await withSampleStore { store, directory, document in
            let documented = try document.columns()
            let (version, columns, releases) = try store.catalog.connection.read { database in
                let tables = try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
                return (
                    try Int.fetchOne(database, sql: "PRAGMA user_version"),
                    Dictionary(
                        uniqueKeysWithValues: try tables.map { table in
                            (table, Set(try database.columns(in: table).map(\.name)))
                        }
                    ),
                    try Row.fetchAll(database, sql: "SELECT * FROM release")
                )
            }
            #expect(try document.title("Catalog") == "Catalog, schema version \(version ?? 0)")
            #expect(columns == documented)
            for table in DigestedTable.allCases {
                let undigested: Set = ["rowDigest", "checkedAt", "lastFailure"]
                #expect(documented[table.rawValue]?.subtracting(undigested) == Set(table.columns))
            }
            for row in releases {
                let identifier: String = row["indexFile"]
                let index = try DocumentedIndex(directory.read("store/indexes/\(identifier).index"), document)
                let segments = try store.catalog.connection.read { database in
                    try Set(
                        String.fetchAll(
                            database,
                            sql: "SELECT segment FROM releaseSegment WHERE release = ?",
                            arguments: [row["id"] as Int64]
                        )
                    )
                }
                #expect(segments == Set(index.entries.map(\.segment)))
                var contents = [UInt8](row["manifest"] as Data)
                for entry in index.entries { contents += Array(entry.path.utf8) + [0] + entry.digest }
                #expect(row["contentDigest"] == Digest(of: contents).hex)
            }
        }
    }
}
