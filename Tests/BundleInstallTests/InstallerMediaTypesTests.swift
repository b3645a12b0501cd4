import BundleInstall
import BundleStore
import BundleTesting
import Testing

struct InstallerMediaTypesTests {
    @Test("media types come from the manifest, the name or the content")
    func types() async throws {
        try await withTemporaryDirectory { directory in
            let manifest =
                #"{"name": "shop", "version": "1.0.0", "origins": [], "mediaTypes": {"part": "text/x-part"}}"#
            let files = [
                ("bundle.json", Array(manifest.utf8)), ("index.html", Array("<p>".utf8)), ("a.part", [1]),
                ("logo", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            ]
            let archive = try directory.write(ZipFixture(files.map { ZipFixtureEntry($0.0, $0.1) }).bytes, to: "a.zip")
            let store = try BundleStore(at: directory.path(of: "store"), creating: true)
            try _ = Installer(store).install(archive: archive)
            let assets = try #require(store.snapshot.sortedBundles.first?.active).assets
            let types = Dictionary(uniqueKeysWithValues: assets.map { ($0.path, $0.mediaType) })
            #expect(types["index.html"] == "text/html; charset=utf-8")
            #expect(types["a.part"] == "text/x-part")
            #expect(types["logo"] == "image/png")
        }
    }
}
