import BundleInstall
import BundleStore
import BundleTesting
import Testing

@Suite("A URL that two bundles claim")
struct OriginClaimsTests {
    private static let shop = "https://m.example.com/shop/"

    private func files(_ name: String, _ version: String = "1", origins: String...) -> [String: String] {
        let list = origins.map { #"{"url": "\#($0)"}"# }.joined(separator: ", ")
        let manifest = #"{"name": "\#(name)", "version": "\#(version)", "origins": [\#(list)]}"#
        return ["bundle.json": manifest, "index.html": "\(name) \(version)"]
    }

    private func permitting(_ names: String..., activates: Bool = true) throws -> InstallOptions {
        var options = InstallOptions()
        options.permittedOverlaps = Set(names.compactMap { BundleName($0) })
        options.activates = activates
        return options
    }

    private func expectConflict(
        _ words: String = "another bundle",
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        let error = #expect(throws: BundleError.self, sourceLocation: sourceLocation, performing: body)
        #expect(error?.code == .originConflict, sourceLocation: sourceLocation)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
    }

    @Test(
        "keeps the second bundle from being installed, and changes nothing",
        arguments: [
            "https://M.example.com/shop", "https://m.example.com/shop/checkout/", "https://m.example.com/",
            "http://m.example.com/shop/checkout/",
        ],
        [true, false]
    )
    func refused(origin: String, activates: Bool) async throws {
        try await InstallFixture.use { fixture in
            _ = try fixture.install(files("shop", origins: Self.shop))
            let archive = try fixture.pack(files("thief", origins: "https://thief.example.com/", origin), as: "thief")
            let before = try fixture.directory.snapshot(of: "store/segments")
            expectConflict("permit the overlap with shop") {
                _ = try fixture.install(archive: archive, options: permitting(activates: activates))
            }
            #expect(fixture.store.snapshot.bundles.count == 1)
            #expect(try fixture.directory.snapshot(of: "store/segments") == before)
            expectConflict { _ = try fixture.install(archive: archive, options: permitting("other")) }
        }
    }

    @Test("may be shared with permission, with a warning that names the bundle that is served")
    func permitted() async throws {
        try await InstallFixture.use { fixture in
            _ = try fixture.install(files("shop", origins: Self.shop))
            let report = try fixture.install(
                files("checkout", origins: Self.shop + "checkout/"),
                options: permitting("shop")
            )
            #expect(
                report.warnings == [
                    "https://m.example.com/shop/checkout/ lies in https://m.example.com/shop/ of shop; checkout serves "
                        + "what both cover"
                ]
            )
        }
    }

    @Test("isn't one beside the other, nor a bundle's own")
    func noConflict() async throws {
        try await InstallFixture.use { fixture in
            _ = try fixture.install(files("a", origins: "https://m.example.com/a/"))
            let others = ["https://m.example.com/ab/", "https://m.example.com:8443/a/", "https://n.example.com/a/"]
            for (number, origin) in others.enumerated() {
                #expect(try fixture.install(files("b\(number)", origins: origin)).warnings == [])
            }
            #expect(try fixture.install(files("a", "2", origins: "https://m.example.com/a/")).warnings == [])
        }
    }

    @Test("that was permitted once stays shared by later versions, but they may claim no others")
    func laterVersions() async throws {
        try await InstallFixture.use { fixture in
            let checkout = Self.shop + "checkout/"
            _ = try fixture.install(files("shop", origins: Self.shop, "https://pay.example.com/"))
            _ = try fixture.install(files("checkout", origins: checkout), options: permitting("shop"))
            #expect(try fixture.install(files("checkout", "2", origins: checkout)).outcome == .installed)
            #expect(try fixture.install(files("shop", "2", origins: Self.shop)).outcome == .installed)
            expectConflict { _ = try fixture.install(files("checkout", "3", origins: checkout, Self.shop)) }
            expectConflict { _ = try fixture.install(files("shop", "3", origins: Self.shop, checkout + "card/")) }
        }
    }

    @Test("keeps a staged or an earlier version from being activated when another bundle has claimed it since")
    func activation() async throws {
        try await InstallFixture.use { fixture in
            let (shop, one, two) = (
                BundleName("shop"), BundleVersion("1"), BundleVersion("2")
            )
            _ = try fixture.install(files("shop", "1", origins: Self.shop))
            _ = try fixture.install(files("shop", "2", origins: "https://new.example.com/"))
            let heir = BundleName("heir")
            _ = try fixture.install(files("heir", origins: Self.shop))
            expectConflict("permit the overlap with heir") { try fixture.store.rollBack(shop) }
            expectConflict { try fixture.store.activate(shop, one) }
            #expect(fixture.store.snapshot.bundles[shop]?.active?.version == two)
            try fixture.store.rollBack(shop, permittingOverlapWith: [heir])
            #expect(fixture.store.snapshot.bundles[shop]?.active?.version == one)
            try fixture.store.activate(shop, two)
            try fixture.store.activate(shop, one, permittingOverlapWith: [heir])
        }
    }

    @Test("doesn't prevent a damaged release from being reinstalled")
    func repair() async throws {
        try await InstallFixture.use { fixture in
            _ = try fixture.install(files("shop", origins: Self.shop))
            let archive = try fixture.pack(files("checkout", origins: Self.shop + "checkout/"), as: "checkout")
            _ = try fixture.install(archive: archive, options: permitting("shop"))
            try SegmentDamage.flip("checkout 1", inStore: fixture.store.path)
            #expect(try fixture.install(archive: archive).outcome == .installed)
        }
    }

    @Test("goes to only one of several bundles that are installed at the same time")
    func race() async throws {
        try await InstallFixture.use { fixture in
            let archives = try (0..<8).map {
                try fixture.pack(files("bundle\($0)", origins: Self.shop), as: "archive\($0)")
            }
            let path = fixture.store.path
            let count = await withTaskGroup(of: Int.self) { group in
                for archive in archives {
                    group.addTask {
                        guard let store = try? BundleStore(at: path) else { return 0 }
                        let report = try? Installer(store).install(archive: archive)
                        return report == nil ? 0 : 1
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(count == 1)
            try fixture.store.refresh()
            #expect(fixture.store.snapshot.bundles.count == 1)
        }
    }
}
