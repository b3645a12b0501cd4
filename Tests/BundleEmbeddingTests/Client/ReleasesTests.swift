import BundleEmbedding
import BundleStore
import BundleTesting
import Foundation
import Testing

@Suite("Releases of an app")
struct ReleasesTests {
    @Test(
        "the bundle that is shipped with the app is installed when the store's is older or missing",
        arguments: [(nil, true), ("0.9.0", true), ("1.0.0", false), ("1.1.0", false), ("1.0.0-rc.1", true)]
            as [(String?, Bool)]
    )
    func seeding(_ local: String?, isInstalled: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory, local: local)
            let report = try await fixture.client.seed(archive: fixture.archive("1.0.0"))
            #expect((report != nil) == isInstalled)
            let active = fixture.client.store.snapshot.bundles[ClientFixture.name]?.activeVersion?.string
            #expect(active == (isInstalled ? "1.0.0" : local))
            #expect(try await fixture.client.seed(archive: fixture.archive("1.0.0")) == nil)
        }
    }

    @Test("where releases have to be signed, what is shipped with the app needn't be, and any other archive has to")
    func trust() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory, local: nil)
            let store = fixture.client.store
            try store.trust(ClientFixture.name, by: Digest(of: Array("root".utf8)), isPinned: false, [])
            #expect(try await fixture.client.seed(archive: fixture.archive("1.0.0")) != nil)
            var options = InstallOptions()
            options.isSeed = true
            for options in [InstallOptions(), options] {
                let error = await #expect(throws: BundleError.self) {
                    try await fixture.client.install(archive: fixture.archive("1.1.0"), options: options)
                }
                #expect(error?.code == .untrusted)
            }
            #expect(store.snapshot.bundles[ClientFixture.name]?.releases.map(\.version.string) == ["1.0.0"])
        }
    }

    @Test("an archive of which only the manifest is intact isn't read when there is nothing to do")
    func seedingReadsLittle() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory, local: "1.0.0")
            var entry = ZipFixtureEntry("a.js", Array("damaged".utf8))
            entry.checksum = 1
            let manifest = ZipFixtureEntry(
                "bundle.json",
                Array(#"{"name": "shop", "version": "1.0.0", "origins": []}"#.utf8)
            )
            let path = try directory.write(ZipFixture([entry, manifest]).bytes, to: "damaged.zip")
            #expect(try await fixture.client.seed(archive: path) == nil)
            await #expect(throws: BundleError.self) { try await fixture.client.install(archive: path) }
        }
    }

    @Test("installing, rolling back, activating and removing take effect at once")
    func changes() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            func page() async throws -> String { try await fixture.load(ClientFixture.origin) }
            let report = try await fixture.client.install(archive: fixture.archive("1.1.0", folder: "dist/"))
            #expect(report.version == "1.1.0")
            #expect(try await page() == "200 active 1.1.0")
            #expect(try await fixture.client.rollBack(ClientFixture.name).to == "1.0.0")
            #expect(try await page() == "200 active page")
            try await fixture.client.activate(ClientFixture.name, version: "1.1.0")
            #expect(try await page() == "200 active 1.1.0")
            #expect(try await fixture.client.remove(ClientFixture.name).count == 2)
            #expect(try await page().hasPrefix("404 "))
        }
    }

    @Test("stores and archives are named by URLs of files too, and other URLs are refused")
    func fileURLs() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory, local: nil)
            let folder = URL(fileURLWithPath: fixture.client.store.path, isDirectory: true)
            let client = try BundleClient(at: folder, transport: nil)
            #expect(client.store.path == fixture.client.store.path)
            let shipped = URL(fileURLWithPath: try fixture.archive("1.0.0"))
            #expect(try await client.seed(archive: shipped)?.version == "1.0.0")
            let next = URL(fileURLWithPath: try fixture.archive("1.1.0"))
            #expect(try await client.install(archive: next).version == "1.1.0")
            let web = try #require(URL(string: "https://m.example.com/shop.zip"))
            let calls: [@Sendable () async throws -> Void] = [
                { try await client.seed(archive: web) }, { try await client.install(archive: web) },
                { _ = try BundleClient(at: web, transport: nil) }, { _ = try CommonRules.read(web) },
                { _ = try CommonRules.parse("{}", mocksIn: web) },
            ]
            for call in calls {
                let error = await #expect(throws: BundleError.self) { try await call() }
                #expect(error?.code == .invalidArgument)
            }
        }
    }

    @Test("a pinned version is removed only after it is unpinned")
    func pinning() async throws {
        try await withTemporaryDirectory { directory in
            let client = try ClientFixture(in: directory).client
            try await client.pin(ClientFixture.name, version: "1.0.0")
            await #expect(throws: BundleError.self) { try await client.remove(ClientFixture.name) }
            try await client.unpin(ClientFixture.name, version: "1.0.0")
            #expect(try await client.remove(ClientFixture.name).map(\.string) == ["1.0.0"])
        }
    }

    @Test("a missing archive is an error that says so")
    func missing() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            let error = await #expect(throws: BundleError.self) {
                try await fixture.client.seed(archive: directory.path(of: "none.zip"))
            }
            #expect(error?.code == .inputUnavailable)
        }
    }
}
