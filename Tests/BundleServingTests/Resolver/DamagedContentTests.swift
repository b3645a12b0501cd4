import BundleServing
import BundleStore
import BundleTesting
import Foundation
import Testing

@Suite("A file whose content doesn't match its digest")
struct DamagedContentTests {
    private static let url = "https://m.example.com/shop/"

    /// Passes on the folder of a closed store with two versions. The contents are the version and the path.
    private func withClosedStore(_ body: (TemporaryDirectory) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            do {
                let fixture = try ResolverFixture(in: directory)
                try fixture.install("shop", "1.0.0", files: ["index.html", "app.js", "old.js"])
                try fixture.install("shop", "2.0.0", files: ["index.html", "app.js", "docs/index.html"])
            }
            try await body(directory)
        }
    }

    private func open(_ directory: TemporaryDirectory, _ log: DamageLog) throws -> BundleStore {
        try BundleStore(at: directory.path, damageHandler: log.handler)
    }

    private func text(_ path: String, _ resolver: ResourceResolver) -> String? {
        resolver.resolve(Self.url + path).map { String(decoding: $0.contents.array, as: UTF8.self) }
    }

    @Test("isn't served, nor an earlier version's in its place; other files are, and the damage is reported once")
    func flipped() async throws {
        try await withClosedStore { directory in
            try SegmentDamage.flip("2.0.0 app.js", inStore: directory.path)
            let log = DamageLog()
            let resolver = ResourceResolver(try open(directory, log).snapshot)
            #expect(log.damage.isEmpty)
            for _ in 0..<3 {
                #expect(text("app.js", resolver) == nil)
                #expect(resolver.outcome(Self.url + "app.js") == "damaged")
                #expect(resolver.outcome(Self.url + "app.js", isNavigation: true) == "damaged")
                #expect(text("", resolver) == "2.0.0 index.html")
                #expect(text("docs/", resolver) == "2.0.0 docs/index.html")
            }
            #expect(log.damage.count == 1)
            let damage = try #require(log.damage.first)
            #expect(damage.description.hasPrefix("shop@2.0.0 app.js: its content doesn't match its digest"))
            #expect(damage.description.contains("reinstall"))
        }
    }

    @Test("isn't taken from an earlier version when the index is cut inside a memory page, which is read as zeros")
    func cutIndex() async throws {
        try await withClosedStore { directory in
            let resolver = ResourceResolver(try open(directory, DamageLog()).snapshot)
            #expect(text("old.js", resolver) == "1.0.0 old.js")
            let indexes = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/indexes")
            for index in indexes.map({ "indexes/" + $0 })
            where try directory.read(index).firstRange(of: Array("docs/index.html".utf8)) != nil {
                try #require(truncate(directory.path(of: index), 200) == 0)
            }
            for path in ["app.js", "old.js"] {
                #expect(text(path, resolver) == nil)
                #expect(resolver.outcome(Self.url + path) == "damaged")
            }
        }
    }

    @Test("is replaced by the same content, if an earlier version has another copy")
    func sameContent() async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try BundleStore(at: directory.path, creating: true)
                try store.install(try BundleManifest.sample("shop", "1.0.0"), files: ["a.js": "shared", "b.js": "1"])
                // A damaged place isn't shared, so the next version has a copy of its own.
                try SegmentDamage.flip("shared", inStore: directory.path)
                try store.install(try BundleManifest.sample("shop", "2.0.0"), files: ["c.js": "shared", "b.js": "2"])
                let (name, version) = (BundleName("shop"), BundleVersion("1.0.0"))
                try store.activate(name, version)
            }
            let log = DamageLog()
            let resolver = ResourceResolver(try open(directory, log).snapshot)
            #expect(text("a.js", resolver) == "shared")
            #expect(resolver.resolve(Self.url + "a.js")?.layer == .active)
            #expect(text("b.js", resolver) == "1")
            #expect(log.damage.map(\.path) == ["a.js"])
        }
    }

    @Test("is damaged as the page of a folder, and the folder without its slash still redirects")
    func folderPage() async throws {
        try await withClosedStore { directory in
            try SegmentDamage.flip("2.0.0 docs/index.html", inStore: directory.path)
            let log = DamageLog()
            let resolver = ResourceResolver(try open(directory, log).snapshot)
            #expect(resolver.outcome(Self.url + "docs/") == "damaged")
            #expect(resolver.outcome(Self.url + "docs") == "-> /shop/docs/")
            #expect(log.damage.count == 1)
        }
    }

    @Test("in the only segment, cut before the store was opened, isn't served; the other version is, as a whole")
    func cutBefore() async throws {
        try await withClosedStore { directory in
            try SegmentDamage.cut(at: "2.0.0 app.js", inStore: directory.path)
            let log = DamageLog()
            let store = try open(directory, log)
            let resolver = ResourceResolver(store.snapshot)
            #expect(text("app.js", resolver) == "1.0.0 app.js")
            #expect(text("", resolver) == "1.0.0 index.html")
            #expect(text("old.js", resolver) == "1.0.0 old.js")
            #expect(resolver.outcome(Self.url + "docs/index.html") == "missing")
            #expect(store.snapshot.damage.count == 1)
            #expect(store.snapshot.degradations == ["shop 2.0.0 can't be read, 1.0.0 is served"])
        }
    }

    @Test("in a segment that was cut while the store was open isn't served, and doesn't end the process")
    func cutAfter() async throws {
        try await withClosedStore { directory in
            let log = DamageLog()
            let resolver = ResourceResolver(try open(directory, log).snapshot)
            try SegmentDamage.cut(at: "2.0.0 app.js", inStore: directory.path)
            #expect(resolver.outcome(Self.url + "app.js") == "damaged")
            #expect(log.damage.map(\.path) == ["app.js"])
            #expect(log.damage.first?.problem.contains("can't be read") == true)
        }
    }

    @Test("is determined by the mapped file, not by a new one of the same name", arguments: [false, true])
    func replaced(_ isMappedDamaged: Bool) async throws {
        try await withClosedStore { directory in
            let (segment, range) = try SegmentDamage.find("2.0.0 app.js", inStore: directory.path)
            let sound = try Data(contentsOf: URL(fileURLWithPath: segment))
            var damaged = sound
            damaged[range.lowerBound] ^= 1
            try (isMappedDamaged ? damaged : sound).write(to: URL(fileURLWithPath: segment), options: .atomic)
            let resolver = ResourceResolver(try open(directory, DamageLog()).snapshot)
            try (isMappedDamaged ? sound : damaged).write(to: URL(fileURLWithPath: segment), options: .atomic)
            #expect(text("app.js", resolver) == (isMappedDamaged ? nil : "2.0.0 app.js"))
        }
    }

    @Test("isn't a file whose segment was deleted in the meantime")
    func deleted() async throws {
        try await withClosedStore { directory in
            let log = DamageLog()
            let resolver = ResourceResolver(try open(directory, log).snapshot)
            let (segment, _) = try SegmentDamage.find("2.0.0 app.js", inStore: directory.path)
            try FileManager.default.removeItem(atPath: segment)
            #expect(text("app.js", resolver) == "2.0.0 app.js")
            #expect(log.damage.isEmpty)
        }
    }

    @Test("is reported once, however many requests read it first, and however often the store is checked again")
    func concurrentReads() async throws {
        try await withClosedStore { directory in
            try SegmentDamage.flip("2.0.0 app.js", inStore: directory.path)
            let log = DamageLog()
            let store = try open(directory, log)
            let resolver = ResourceResolver(store.snapshot)
            let texts = await withTaskGroup(of: [String?].self) { group in
                for _ in 0..<16 { group.addTask { ["app.js", "", "old.js"].map { text($0, resolver) } } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(texts) == [[nil, "2.0.0 index.html", "1.0.0 old.js"]])
            #expect(log.damage.count == 1)
            try ResolverFixture(store: store).install("docs", origins: [], files: ["a.js"])
            #expect(text("app.js", ResourceResolver(store.snapshot)) == nil)
            #expect(log.damage.count == 1)
        }
    }

    @Test("is found again each time the store is opened")
    func openings() async throws {
        try await withClosedStore { directory in
            try SegmentDamage.flip("2.0.0 app.js", inStore: directory.path)
            let log = DamageLog()
            for count in 1...2 {
                let resolver = ResourceResolver(try open(directory, log).snapshot)
                #expect(text("app.js", resolver) == nil)
                #expect(log.damage.count == count)
            }
        }
    }

    @Test("is served again once the version has been installed with replacement")
    func repaired() async throws {
        try await withClosedStore { directory in
            try SegmentDamage.flip("2.0.0 app.js", inStore: directory.path)
            let store = try open(directory, DamageLog())
            #expect(text("app.js", ResourceResolver(store.snapshot)) == nil)
            let files = ["index.html", "app.js", "docs/index.html"]
            let members = #""origins": [{"url": "https://m.example.com/shop/", "path": "/"}]"#
            try store.install(
                try BundleManifest.sample("shop", "2.0.0", members),
                files: Dictionary(uniqueKeysWithValues: files.map { ($0, "2.0.0 \($0)") }),
                replacing: true
            )
            #expect(text("app.js", ResourceResolver(store.snapshot)) == "2.0.0 app.js")
        }
    }
}
